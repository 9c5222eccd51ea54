"""The page of the Python package, out of its docstrings; nothing of it is imported."""

import ast
import sys
from pathlib import Path

PACKAGE = Path(sys.argv[1])


def body_of(module):
    """The statements of a module."""
    path = PACKAGE / (module.replace(".", "/") + ".py")
    path = path if path.exists() else PACKAGE / module / "__init__.py"
    return ast.parse(path.read_text(encoding="utf-8")).body


def definitions(module):
    """The public classes and functions of a module, in their order."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [node for node in body_of(module) if isinstance(node, kinds) and not node.name.startswith("_")]


def public(node):
    """The public methods and properties of a class that say what they are."""
    own = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")]
    return [part for part in own if ast.get_docstring(part)]


def signature(function, name):
    """How it is called, on a line for each argument where one line is too long."""
    arguments = function.args
    dropped = [a for a in arguments.posonlyargs + arguments.args if a.arg not in ("self", "cls")]
    arguments.posonlyargs, arguments.args = [], dropped
    text = ast.unparse(arguments)
    line = f"{name}({text})"
    if len(line) <= 88:
        return line
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return f"{name}(\n" + "".join(f"    {one},\n" for one in [*parts, part.strip()]) + ")"


def paragraphs(docstring):
    """A docstring as Markdown: numpydoc's sections become lists."""
    lines, out, section, in_code = docstring.splitlines(), [], None, False
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        if below and set(below) == {"-"} and line.strip():
            section = line.strip()
            out += ["", f"**{section}**", ""]
        elif line and set(line) == {"-"}:
            continue
        elif line.rstrip().endswith("::"):
            out += [line.rstrip()[:-1], ""]
            in_code = True
        elif in_code and (line.startswith("    ") or not line.strip()):
            out.append(line)
        elif section == "Examples":
            out.append(f"    {line}" if line else "")
        elif section in ("Parameters", "Returns", "Attributes", "Raises") and line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f": {kind}" if kind else "") + "  ")
        elif section in ("Parameters", "Returns", "Attributes", "Raises") and line.strip():
            out.append(f"  {line.strip()}")
        else:
            in_code = False
            out.append(line)
    return "\n".join(escape(out)).strip() + "\n"


def escape(lines):
    """Lines without what Markdown would take for HTML; code is left alone."""
    for line in lines:
        if line.startswith("    "):
            yield line
        else:
            pieces = line.split("`")
            pieces[::2] = [piece.replace("<", "&lt;").replace("*", "\\*") for piece in pieces[::2]]
            yield "`".join(pieces).replace("\\*\\*", "**")


def entry(node, title, level):
    """A class or a function: how it is called and what it says."""
    function = node
    if isinstance(node, ast.ClassDef):
        function = next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)
    heading = f"{'#' * level} {title}\n\n"
    call = f"```python\n{signature(function, title.split('.')[-1])}\n```\n\n" if function else ""
    decorated = {ast.unparse(decorator) for decorator in getattr(node, "decorator_list", [])}
    call = "" if "property" in decorated else call
    return heading + call + paragraphs(ast.get_docstring(node) or "") + "\n"


def exported():
    """The names of the package that are no estimators, with their modules."""
    for statement in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module and statement.module[1:] not in ("native",):
            for name in statement.names:
                if name.name != "*" and statement.module != "_native" and statement.module != "_estimators":
                    yield statement.module, name.name


def main():
    """Print the page."""
    print("# The Python package, name by name\n")
    print("Made from the docstrings: `help(onlinear.AROW)` shows the same. [Five minutes with it](python.md) come first.\n")
    print("## Functions\n")
    classes = []
    for module, name in exported():
        node = next(node for node in definitions(module) if node.name == name)
        if isinstance(node, ast.ClassDef):
            classes.append(node)
        else:
            print(entry(node, name, 3))
    for module in ("datasets", "distributed"):
        print(f"## onlinear.{module}\n")
        for node in definitions(module):
            print(entry(node, node.name, 3))
    print("## What every estimator has\n")
    seen = set()
    for module in ("_learner", "_prediction", "_attributes", "_parameters"):
        for node in definitions(module):
            for method in public(node):
                if method.name not in seen:
                    seen.add(method.name)
                    print(entry(method, method.name, 3))
    print("## Estimators\n")
    for node in definitions("_estimators"):
        print(entry(node, node.name, 3))
    print("## Other classes\n")
    for node in classes:
        print(entry(node, node.name, 3))
        for method in public(node):
            print(entry(method, f"{node.name}.{method.name}", 4))


main()
