"""Ways in which a server can give back the key that it was sent, as raw HTTP responses."""

import html
import json
from urllib.parse import quote

NOTHING = '{"error": {"message": "no"}}'
"""An error's body that holds no key."""


def _reply(
    body: str, status: str = "200 OK", headers: str = "", kind: str = "application/json"
) -> str:
    """A whole response; ``headers`` are lines, each with its end."""
    length = len(body.encode())
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n"
        f"Connection: close\r\n{headers}\r\n{body}"
    )


def _error(key: str) -> str:
    return json.dumps({"error": {"message": f"Incorrect key: {key}", "type": key, "code": key}})


def _answer(**parts: object) -> str:
    """A completion whose parts are replaced."""
    message = parts.pop("message", {"role": "assistant", "content": "{}"})
    choice = {"index": 0, "message": message, "finish_reason": parts.pop("finish", "stop")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**whole, "choices": [choice], "usage": usage, **parts})


def _said(content: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": content, **more}


def _spelled(key: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in key)


def _pieces(key: str) -> str:
    """The key with an invisible sign or a control between all its letters."""
    signs = "\u200b\u00ad\0\x1b\u202e"
    return "".join(letter + signs[place % len(signs)] for place, letter in enumerate(key))


def failures(key: str) -> dict[str, str]:
    """Responses that are no answer, by name."""
    wordy = "." * 250 + f" {key} " + "." * 250
    statuses = ("400", "401", "402", "403", "404", "409", "413", "422", "429", "500", "503", "529")
    return {
        **{f"body of {status}": _reply(_error(key), f"{status} No") for status in statuses},
        **{f"words of {status}": _reply(wordy, f"{status} No") for status in ("401", "500")},
        "page": _reply(f"<h1>{html.escape(key)}</h1>", "502 Bad", kind="text/html"),
        "page as an answer": _reply(f"<h1>{html.escape(key)}</h1>", kind="text/html"),
        "address in a page": _reply(f"see https://x/?key={quote(key, '')}", "403 No"),
        "spelled out": _reply(f'{{"error": {{"message": "{_spelled(key)}"}}}}', "500 No"),
        "reason": _reply(NOTHING, f"500 {key}"),
        "challenge": _reply(NOTHING, "401 No", f'WWW-Authenticate: Bearer realm="{key}"\r\n'),
        "request id": _reply(NOTHING, "500 No", f"X-Request-Id: {key}\r\n"),
        "retry-after": _reply(NOTHING, "429 No", f"Retry-After: {key}\r\n"),
        "cookie": _reply(NOTHING, "500 No", f"Set-Cookie: k={key}; Path=/\r\n"),
        "redirect": _reply("", "302 Found", f"Location: http://127.0.0.1:9/{key}\r\n"),
        "redirect to nonsense": _reply("", "302 Found", f"Location: ftp://{key}@x/\r\n"),
        "status line": f"HTTP/1.1 {key}\r\n\r\n",
        "no HTTP": f"{key}\r\n\r\n",
        "header line": _reply(NOTHING, "200 OK", f"{key}\r\n"),
        "header name": _reply(NOTHING, "200 OK", f"{key} : x\r\n"),
        "length": f"HTTP/1.1 200 OK\r\nContent-Length: {key}\r\n\r\nx",
        "chunk": f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{key}\r\n{key}\r\n",
        "coding": _reply(key, "200 OK", f"Content-Encoding: {key}\r\n"),
        "bad gzip": _reply(key, "200 OK", "Content-Encoding: gzip\r\n"),
        "charset": _reply(key, "500 No", kind=f"text/plain; charset={key}"),
        "half": _reply(_error(key))[:-3],
        "no JSON": _reply(f'{{"choices": {key}'),
        "bare words": _reply(key),
        "a list": _reply(json.dumps([key])),
        "no choice": _reply(json.dumps({"id": key, "choices": [], "error": key})),
        "odd choice": _reply(json.dumps({"choices": [key]})),
        "odd message": _reply(json.dumps({"choices": [{"message": key, "finish_reason": key}]})),
        "error in 200": _reply(_error(key)),
    }


def answers(key: str) -> dict[str, str]:
    """Responses that are some answer, by name."""
    call = {"id": key, "type": "function", "function": {"name": key, "arguments": key}}
    return {
        "text": _reply(_answer(message=_said(f"my key is {key}"))),
        "text spelled out": _reply(
            _answer(message=_said('{"text": "KEY"}')).replace("KEY", "\\" + _spelled(key))
        ),
        "text in pieces": _reply(_answer(message=_said(_pieces(key)))),
        "JSON in pieces": _reply(_answer(message=_said(json.dumps({"text": _pieces(key)})))),
        "JSON": _reply(_answer(message=_said(json.dumps({"text": key, key: 1})))),
        "thinking": _reply(_answer(message=_said("{}", reasoning_content=key))),
        "thinking in the text": _reply(_answer(message=_said(f"<think>{key}</think>{{}}"))),
        "refusal": _reply(_answer(message=_said(None, refusal=key))),
        "finish": _reply(_answer(finish=key)),
        "id": _reply(_answer(id=key)),
        "model": _reply(_answer(model=key)),
        "fingerprint": _reply(_answer(system_fingerprint=key)),
        "usage": _reply(_answer(usage={"prompt_tokens": key, "completion_tokens": key})),
        "tools": _reply(_answer(message=_said(None, tool_calls=[call]))),
        "parts": _reply(_answer(message=_said([{"type": "text", "text": key}]))),
        "extra": _reply(_answer(message=_said("{}", annotations=[key], more=key))),
        "header of an answer": _reply(_answer(), "200 OK", f"X-Request-Id: {key}\r\n"),
    }


def every(key: str) -> dict[str, str]:
    """All of them."""
    return {**failures(key), **answers(key)}


_REFUSING = tuple(f"HTTP/1.1 {n} " for n in (302, 400, 401, 402, 403, 404, 413, 422))
_TAKEN_FOR_REFUSALS = {"error in 200", "no choice"}
REFUSALS = tuple(
    name
    for name, raw in failures("x").items()
    if raw.startswith(_REFUSING) or name in _TAKEN_FOR_REFUSALS
)
"""Those that no waiting fixes, or that some client takes for such."""
PASSING = tuple(name for name in every("x") if name not in REFUSALS)
