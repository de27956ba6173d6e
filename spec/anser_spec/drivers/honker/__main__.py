"""The protocol: a request a line, a response a line, until a request says bye."""

from __future__ import annotations

import json
import sys
from typing import Any

from anser_spec.drivers.honker.driver import Driver
from anser_spec.drivers.honker.families import CALLS

NO_METHOD_CODE = -32601


def reply(driver: Driver, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method in CALLS:
        outcome = driver.apply(method, params.pop("now", None), params)
        return outcome if "error" in outcome else {"result": outcome["answer"]}
    if method in ("hello", "open", "load", "snapshot", "steps", "boundaries"):
        return {"result": getattr(driver, method)(**params)}
    return {"error": {"code": NO_METHOD_CODE, "message": f"no method {method}", "data": {"kind": "unsupported"}}}


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        request = json.loads(line)
        leave = request["method"] == "bye"
        response = {"result": None} if leave else reply(driver, request["method"], request.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **response}), flush=True)
        if leave:
            break  # the end of the process closes the file: not every honker can


if __name__ == "__main__":
    main()
