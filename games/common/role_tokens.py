"""Role tokens of chat templates: how they are spelled, and texts without their effect.

A server that fills a chat template reads them wherever they stand in a message, so a player could
end its opponent's turn and begin one of the system's. They stay legible, and can be read back: in a
quotation, which is JSON, the escape is the same letter.
"""

import re

_ANGLED = "|".join(
    (
        # ChatML, Llama 3, Phi, Qwen, Granite, Harmony, Command R; DeepSeek with a wide bar
        r"/?[|\uff5c]",
        r"/?[\w:\u2581]{1,40}[|\uff5c]>",  # Gemma 4
        r"</?SYS>>",  # Llama 2
        r"/?(?:start_of_turn|end_of_turn|start_of_image|end_of_image|tool_call|tool_response)>",
        r"(?i:/?(?:s|bos|eos|pad|unk|mask|sep|cls|sop|eop|eod|eoa|eoh|im_start|im_end)>)",
        r"(?:\w+_TOKEN|SPECIAL_\d+|extra_id_\d+|unused\d+|reserved_\d+|seed:\w+)>",
    )
)
_SQUARE = "|".join(
    (
        r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\]",
        r"/?(?:CALL_ID|ARGS|THINK|IMG|IMG_BREAK|IMG_END|PREFIX|MIDDLE|SUFFIX)\]",  # Mistral
        r"(?:gMASK|sMASK|MASK|CLS|SEP|PAD|UNK|BOS|EOS)\]",  # GLM, BERT, Kimi
        r"\||e~\[",  # Exaone, MiniMax
    )
)
_TOKEN = re.compile(rf"<(?={_ANGLED})|\[(?={_SQUARE})|\](?=~!?b[\[\]])")


def defused(text: str) -> str:
    r"""The text with the first letter of every role token escaped: ``\u003c|im_end|>``."""
    return _TOKEN.sub(lambda token: f"\\u{ord(token[0]):04x}", text)
