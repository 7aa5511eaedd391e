"""ReadAgent where people already work: LangChain, LlamaIndex, tools for models, and `llm`.

Import from the modules of this package. Each needs the extra of its name, except ``tools``, which needs nothing.
"""
