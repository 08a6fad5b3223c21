/**
 * Texts with which providers and servers refuse a request (overflow-answers.jsonl). Each line is
 * one expression. Expressions with numbers come before those with the same words without numbers.
 * `answer` is space that is counted in addition to the request, `reserve` is space that is part of
 * it.
 */
export const overflowTexts = {
  /** Limits of ids, names and descriptions. */
  other: String.raw`
string too long. expected a string with maximum length \d{1,4}(?!,?\d)
`,
  tokens: String.raw`
# Anthropic
prompt is too long: {request} tokens > {limit}
exceed context limit: {request} \+ {answer} > {limit}
# Fireworks
prompt is too long: {request}, model maximum context length: {limit}
# OpenAI, DeepSeek, OpenRouter, vLLM
maximum context length is {limit} tokens[.,] however,? you requested (?:about )?{request} tokens \([^)]{0,120}\D{reserve} in the (?:completion|output)
maximum context length is {limit} tokens[.,] however,? you requested (?:about )?{request} tokens
maximum context length is {limit} tokens[.,] however,? your messages resulted in {request} tokens
maximum context length is {limit} tokens[.,] however,? you requested {reserve} output tokens and your prompt contains at least \d{1,10} input tokens, for a total of at least {request}
maximum context length is {limit} tokens[.,] however,? your request has {request} input tokens
too large: {answer}\. this model's maximum context length is {limit} tokens and your request has {request} input tokens
maximum context length is {limit}
# OpenAI on Azure
exceed the configured limit of {limit} tokens\. your messages resulted in {request}
tokens exceed the configured limit of {limit}
# OpenAI Responses
exceeds the context window of this model
# Google
input token count \(?{request}\)? exceeds the maximum number of tokens allowed \(?{limit}
input token count exceeds the maximum number of tokens allowed \(?{limit}
input token count is {request} but model only supports up to {limit}
# xAI
maximum prompt length is {limit} but the request contains {request}
# Cerebras, then Groq
reduce the length of the messages or completion. current length is {request} while limit is {limit}
please reduce the length of the messages
# Mistral
prompt contains {request} tokens[^.]{0,60} too large for model with {limit} maximum context length
# llama.cpp, Ollama
request \({request} tokens\) exceeds the available context size \({limit}
exceeds the available context size
# llama-cpp-python
requested tokens \({request}\) exceed context window of {limit}
# LM Studio
trying to keep the first {request} tokens when context[^.]{0,60}. however, the model is loaded with (?:a )?context length of only {limit}
cannot truncate prompt with n_keep \({request}\) >= n_ctx \({limit}
input length {request} exceeds context length {limit}
# SGLang
the input \({request} tokens\) is longer than the model's context length \({limit}
exceeds the model's maximum context length of {limit} tokens\. you requested a total of {request}
# vLLM offline
prompt \(total length {request}\) is too long to fit into the model \(context length {limit}
# Together, Text Generation Inference
inputs tokens \+ max_new_tokens must be <= {limit}\. given: {request} inputs tokens and {answer} max_new_tokens
# Kimi
exceeded model token limit: {limit} \(re ?quested: {request}
exceeded model token limit
# GitHub Copilot
prompt token count of {request} exceeds the limit of {limit}
# MiniMax: the number in brackets is no limit.
context window exceeds limit
# Cohere
too many tokens: size limit exceeded by .{0,120}the limit for this model is {limit}
number of tokens in the prompt exceeds the limit of {limit}
# Qwen
range of input length should be \[1, {limit}
# Z.ai
prompt exceeds max length
# Perplexity
length of all messages is too long
# Amazon Bedrock
input is too long for requested model
too many input tokens
# Anthropic, on other platforms without numbers
request size exceeds model context window
prompt is too long
# LangChain, LiteLLM
input exceeded the model's context window
ContextWindowExceededError|context[ _]length[ _]exceeded
`,
  /** Their numbers are no tokens and stay out. */
  bytes: String.raw`
request exceeds the maximum (?:allowed )?(?:size|number of bytes)
request payload size exceeds the limit
maximum request body size \d{1,15} exceeded
(?:request entity|payload|content) too large
string too long. expected a string with maximum length (?:\d{5}|\d{1,3},\d{3},\d{3})
member must have length less than or equal to \d{6}
expected maxlength:\s{1,3}\d{5}
`,
}
