"""Infrastructure of passes and pipelines; the passes themselves live in transforms/ and graph/."""
