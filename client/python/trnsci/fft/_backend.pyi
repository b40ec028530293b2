# SPDX-License-Identifier: Apache-2.0
from typing import Any, Callable, Dict, Tuple

__ua_domain__: str

def __ua_function__(
    method: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]
) -> Any: ...
