"""The library as an MCP server: tools, resources and prompts for agents that have a model of their own."""
