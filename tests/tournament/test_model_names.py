"""Names of models as providers give them: which are one model, and which are two."""

import pytest

from parlour.tournament.save.provenance.model_names import is_other_model

SAME = [
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("gpt-4o-2024-08-06", "gpt-4o"),
    ("gpt-4", "gpt-4-0613"),
    ("gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"),
    ("gpt-5", "gpt-5-2025-08-07"),
    ("o3-mini", "o3-mini-2025-01-31"),
    ("gpt-3.5-turbo", "gpt-3.5-turbo-0125"),
    ("gpt-35-turbo", "gpt-3.5-turbo-0125"),
    ("gpt-4-turbo-preview", "gpt-4-0125-preview"),
    ("gpt-4-vision-preview", "gpt-4-1106-vision-preview"),
    ("openai/gpt-4o", "gpt-4o"),
    ("Llama-3-8B", "llama-3-8b"),
    ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
    ("anthropic/claude-opus-4-0", "claude-opus-4-20250514"),
    ("claude-opus-4-1", "claude-opus-4-1-20250805"),
    ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
    ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
    ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
    ("claude-sonnet-4@20250514", "claude-sonnet-4-20250514"),
    ("openrouter/anthropic/claude-3.5-sonnet", "anthropic/claude-3-5-sonnet-20241022"),
    ("openrouter/anthropic/claude-sonnet-4", "anthropic/claude-4-sonnet-20250522"),
    ("gemini/gemini-1.5-pro", "gemini-1.5-pro-002"),
    ("gemini/gemini-2.0-flash", "gemini-2.0-flash-001"),
    ("gemini-2.5-pro", "models/gemini-2.5-pro"),
    ("gemini-2.5-pro-preview-06-05", "gemini-2.5-pro"),
    ("gemini-2.5-flash", "gemini-2.5-flash-preview-05-20"),
    ("gemini-2.5-flash-lite-preview-06-17", "gemini-2.5-flash-lite"),
    ("gemini-2.0-flash-exp", "gemini-2.0-flash"),
    ("gemini-flash-latest", "gemini-2.5-flash-preview-09-2025"),
    ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022"),
    ("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514"),
    ("us.anthropic.claude-opus-4-1-20250805-v1:0", "eu.anthropic.claude-opus-4-1-20250805-v1:0"),
    ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ("us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-3-5-sonnet-20240620"),
    ("bedrock/meta.llama3-1-70b-instruct-v1:0", "llama3-1-70b-instruct"),
    ("bedrock/us.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0:300k"),
    ("bedrock/openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
    ("mistral-large-latest", "mistral-large-2411"),
    ("grok-4", "grok-4-0709"),
    ("x-ai/grok-4-07-09", "grok-4-0709"),
    ("command-r-plus", "command-r-plus-08-2024"),
    ("deepseek-v3", "deepseek-v3-0324"),
    ("deepseek/deepseek-r1-0528:free", "deepseek-r1"),
    ("llama3", "llama3:latest"),
    ("together_ai/meta-llama/Llama-3-8b-chat-hf", "meta-llama/Llama-3-8b-chat-hf"),
    ("openrouter/openai/gpt-4o:floor", "openai/gpt-4o"),
    ("azure/my-deployment", "gpt-4o-2024-08-06"),
    ("azure/gpt-4o", "gpt-4o-mini-2024-07-18"),
    ("openrouter/auto", "anthropic/claude-3-haiku"),
    ("openrouter/openrouter/free", "qwen/qwen3-coder:free"),
    ("openrouter/anthropic/claude-haiku-4.5", "anthropic/claude-4.5-haiku-20251001"),
    ("arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2", "claude-3-haiku"),
]
OTHER = [
    ("gpt-4o", "gpt-4o-mini"),
    ("gpt-4o", "gpt-4.1"),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
    ("gpt-4-turbo", "gpt-4-0613"),
    ("gpt-4-turbo-preview", "gpt-4-turbo-2024-04-09"),
    ("o1", "o1-mini-2024-09-12"),
    ("claude-sonnet-4-0", "claude-sonnet-4-5-20250929"),
    ("claude-opus-4-1", "claude-opus-4-20250514"),
    ("claude-3-opus", "claude-3-haiku-20240307"),
    ("gemini-1.5-pro-001", "gemini-1.5-pro-002"),
    ("gemini-2.5-pro-preview-03-25", "gemini-2.5-pro-preview-05-06"),
    ("gemini-flash-latest", "gemini-2.5-flash-lite"),
    ("gemini-2.5-flash", "gemini-2.0-flash"),
    ("anthropic.claude-3-5-sonnet-20240620-v1:0", "anthropic.claude-3-5-sonnet-20241022-v2:0"),
    ("anthropic.claude-v2", "anthropic.claude-v2:1"),
    ("bedrock/meta.llama3-1-70b-instruct-v1:0", "meta.llama3-1-8b-instruct-v1:0"),
    ("mistral-7b-instruct-v0.2", "mistral-7b-instruct-v0.3"),
    ("deepseek-v3", "deepseek-v3.1"),
    ("llama3:8b", "llama3:70b"),
    ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct-Turbo"),
    ("mistral-large-2402", "mistral-large-2407"),
    ("gpt-4o", "gpt-4o-20"),
]


@pytest.mark.parametrize(("asked", "answered_by"), SAME)
def test_an_alias_of_a_model_is_no_other_model(asked: str, answered_by: str) -> None:
    assert not is_other_model(asked, answered_by)


@pytest.mark.parametrize(("asked", "answered_by"), OTHER)
def test_another_size_family_or_snapshot_is_another_model(asked: str, answered_by: str) -> None:
    assert is_other_model(asked, answered_by)
    assert is_other_model(answered_by, asked)
