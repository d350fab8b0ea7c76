"""Write what a program makes, `docs/` and the JSON Schema: ``python -m docs.make``."""

from docs.make import ROOT, pages

if __name__ == "__main__":
    for path, content in pages().items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text("utf-8") != content:
            target.write_text(content, "utf-8")
            print("wrote", path)
