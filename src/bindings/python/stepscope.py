"""Price LLM-serving deployments: libstepscope from Python, by ctypes.

    import stepscope
    case = stepscope.open("deepseek-v3-h200-fp8-tp8")
    case.price("32x4096").seconds            # of one step, the lead figure
    case.set(tp=4).price("32x4096").fits     # False
    stepscope.sweep(case, tp=[4, 8], batch=["32x4096", "64x4096"])
    case.serve("1024/512@20/s").latency["ttft"].p99  # of a load played through the scheduler

A refused deployment raises Refused, whose `problems` say why and what would work.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import json
import os
import re
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

__all__ = ["Case", "Error", "Fix", "Latency", "Price", "Problem", "Refused", "Request", "Served", "arrays",
           "open", "sweep", "version"]

_OK, _ENOMEM, _EREFUSED = 0, 1, 4


class _Group(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int64) for n in ("count", "scheduled", "computed", "prompt_len")]


class _Batch(ctypes.Structure):
    _fields_ = [("groups", ctypes.POINTER(_Group)), ("group_count", ctypes.c_size_t),
                ("decode_threshold", ctypes.c_int64), ("sm_budget", ctypes.c_int64)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("where", ctypes.c_char * 128),
                ("message", ctypes.c_char * 256)]


class _Fix(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("value", ctypes.c_char_p),
                ("note", ctypes.c_char_p), ("also", ctypes.c_void_p)]


class _Problem(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("code", ctypes.c_char_p), ("file", ctypes.c_char_p),
                ("pointer", ctypes.c_char_p), ("message", ctypes.c_char_p),
                ("fixes", ctypes.POINTER(_Fix)), ("fix_count", ctypes.c_size_t)]


class _Problems(ctypes.Structure):
    _fields_ = [("items", ctypes.POINTER(_Problem)), ("count", ctypes.c_size_t),
                ("capacity", ctypes.c_size_t), ("is_out_of_memory", ctypes.c_bool)]


class _Pricing(ctypes.Structure):
    _fields_ = [("figure", ctypes.c_int), ("decode_threshold", ctypes.c_int64),
                ("sm_budget", ctypes.c_int64), ("acceptance", ctypes.c_double), ("side", ctypes.c_int),
                ("spread", ctypes.c_void_p), ("keeps_terms", ctypes.c_bool), ("place", ctypes.c_int)]


class _Latency(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int64)] + [(n, ctypes.c_double)
                                              for n in ("mean", "deviation", "p50", "p90", "p99")]


_LATENCIES = ("ttft", "tpot", "itl", "e2e")
_COUNTS = ("requests", "completed", "refused", "unserved", "steps", "preemptions", "prefix_hits",
           "input_tokens", "output_tokens", "cached_tokens")
_RATES = ("duration_s", "busy_s", "busy_share", "requests_per_s", "output_tokens_per_s", "total_tokens_per_s")


class _Result(ctypes.Structure):
    _fields_ = ([(n, ctypes.c_int64) for n in _COUNTS] + [(n, ctypes.c_double) for n in _RATES] +
                [("max_running", ctypes.c_int64), ("latency", _Latency * len(_LATENCIES)),
                 ("levels", ctypes.c_double * 6), ("is_saturated", ctypes.c_bool)])


class _Request(ctypes.Structure):
    _fields_ = ([(n, ctypes.c_int64) for n in ("prompt", "output")] +
                [(n, ctypes.c_double) for n in ("arrival_s", "first_s", "last_s", "end_s")] +
                [(n, ctypes.c_int64) for n in ("generated", "preemptions", "cached")] +
                [("state", ctypes.c_int)])


_STRUCTS = {"group": _Group, "batch": _Batch, "error": _Error, "fix": _Fix, "problem": _Problem,
            "problems": _Problems, "serve_pricing": _Pricing, "serve_request": _Request,
            "serve_result": _Result}


class Fix(NamedTuple):
    """One setting that would work instead, as `set` takes it."""
    path: str
    value: str
    note: str


class Problem(NamedTuple):
    """What is wrong, where, and what would be right."""
    code: str
    pointer: str
    message: str
    fixes: tuple[Fix, ...]


class Error(Exception):
    """A document, a name or a value that is wrong."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()):
        super().__init__(message)
        self.problems = tuple(problems)


class Refused(Error):
    """The engine would not start the deployment, or it cannot be priced truthfully."""


class Price(NamedTuple):
    """One forward step. Times in seconds."""
    seconds: float          # the lead figure
    serial_s: float
    overlap_s: float
    no_overlap_s: float
    kernels_s: float        # NaN where the part has no kernel times
    bottleneck: str
    resources: Mapping[str, float]
    tokens_per_s: float     # of the whole engine, decode
    fits: bool


class Latency(NamedTuple):
    """Seconds, over the requests that have it."""
    count: int
    mean: float
    deviation: float
    p50: float
    p90: float
    p99: float


class Request(NamedTuple):
    """One request of a load; times in seconds from the first arrival on, -1 where not reached."""
    prompt: int
    output: int
    arrival_s: float
    first_s: float
    last_s: float
    end_s: float
    generated: int
    preemptions: int
    cached: int
    state: str


class Served(NamedTuple):
    """What came of a load: counts, rates, latencies by name, and every request."""
    requests: int
    completed: int
    refused: int
    unserved: int
    steps: int
    preemptions: int
    prefix_hits: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    duration_s: float
    busy_s: float
    busy_share: float
    requests_per_s: float
    output_tokens_per_s: float
    total_tokens_per_s: float
    max_running: int
    is_saturated: bool
    latency: Mapping[str, Latency]
    rows: Sequence[Request]


def _text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def _load() -> ctypes.CDLL:
    name = os.environ.get("STEPSCOPE_LIBRARY") or ctypes.util.find_library("stepscope") or "libstepscope.so.0"
    lib = ctypes.CDLL(name)
    pointer, size, status = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    problems = ctypes.POINTER(_Problems)
    for function, result, arguments in (
            ("ss_version", ctypes.c_char_p, []),
            ("ss_type_size", size, [ctypes.c_char_p]),
            ("ss_registry_new", status, [ctypes.POINTER(pointer), ctypes.POINTER(ctypes.c_char_p), size,
                                         ctypes.POINTER(_Error)]),
            ("ss_registry_free", None, [pointer]),
            ("ss_scenario_load", pointer, [ctypes.c_char_p, problems]),
            ("ss_scenario_clone", status, [ctypes.POINTER(pointer), pointer]),
            ("ss_scenario_set", status, [pointer, size, ctypes.c_char_p, ctypes.c_char_p,
                                         ctypes.POINTER(_Error)]),
            ("ss_scenario_free", None, [pointer]),
            ("ss_scenario_to_json", pointer, [pointer]),
            ("ss_basis_open", status, [ctypes.POINTER(pointer), pointer, pointer, pointer, size, problems]),
            ("ss_basis_free", None, [pointer]),
            ("ss_kernel_new", status, [ctypes.POINTER(pointer), pointer, pointer, size, ctypes.c_uint, problems]),
            ("ss_kernel_free", None, [pointer]),
            ("ss_kernel_has_price", ctypes.c_bool, [pointer]),
            ("ss_kernel_has_kernels", ctypes.c_bool, [pointer]),
            ("ss_kernel_lead", ctypes.c_int, [pointer, ctypes.c_int]),
            ("ss_kernel_step", None, [pointer, ctypes.POINTER(_Batch), pointer]),
            ("ss_kernel_verdict", None, [pointer, ctypes.POINTER(_Batch), pointer]),
            ("ss_kernel_tokens_per_s", ctypes.c_double, [pointer, pointer, ctypes.c_double, ctypes.c_double]),
            ("ss_scenario_corrections", ctypes.c_uint, [pointer]),
            ("ss_step_figure", ctypes.c_double, [pointer, ctypes.c_int]),
            ("ss_step_resources", ctypes.POINTER(ctypes.c_double), [pointer, ctypes.c_int]),
            ("ss_step_bottleneck", ctypes.c_int, [pointer, ctypes.c_int]),
            ("ss_resource_name", ctypes.c_char_p, [ctypes.c_int]),
            ("ss_figure_find", status, [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(_Error)]),
            ("ss_batch_parse", status, [ctypes.POINTER(ctypes.POINTER(_Group)), ctypes.POINTER(size),
                                        ctypes.c_char_p, ctypes.POINTER(_Error)]),
            ("ss_registry_workload", pointer, [pointer, ctypes.c_char_p, problems]),
            ("ss_load_set", status, [pointer, pointer, ctypes.c_char_p, ctypes.POINTER(_Error)]),
            ("ss_load_trace", ctypes.c_char_p, [pointer, pointer]),
            ("ss_load_resolve", status, [pointer, pointer, pointer, ctypes.c_int64, ctypes.POINTER(_Error)]),
            ("ss_serve_pricer_new", status, [ctypes.POINTER(pointer), pointer, ctypes.POINTER(_Pricing)]),
            ("ss_serve_pricer_free", None, [pointer]),
            ("ss_serve_engine_of", status, [pointer, pointer, ctypes.POINTER(_Error)]),
            ("ss_serve_new", status, [ctypes.POINTER(pointer), pointer, pointer, pointer, ctypes.POINTER(_Error)]),
            ("ss_serve_free", None, [pointer]),
            ("ss_serve_run", ctypes.c_bool, [pointer, ctypes.c_int64]),
            ("ss_serve_is_incomplete", ctypes.c_bool, [pointer]),
            ("ss_serve_result", status, [pointer, ctypes.POINTER(_Result)]),
            ("ss_serve_request_count", size, [pointer]),
            ("ss_serve_request", None, [pointer, size, ctypes.POINTER(_Request)]),
            ("ss_serve_state_name", ctypes.c_char_p, [ctypes.c_int]),
            ("ss_problems_release", None, [problems])):
        entry = getattr(lib, function)
        entry.restype, entry.argtypes = result, arguments
    for struct, ours in _STRUCTS.items():
        theirs = lib.ss_type_size(struct.encode())
        if theirs != ctypes.sizeof(ours):
            raise ImportError(f"{name} is of another version: ss_{struct} has {theirs} bytes there, "
                              f"{ctypes.sizeof(ours)} here")
    return lib


_lib = _load()
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]


def version() -> str:
    """Of the library that was loaded."""
    return _text(_lib.ss_version())


def _figure(name: str) -> int:
    out, error = ctypes.c_int(0), _Error()
    if name != "lead" and _lib.ss_figure_find(name.encode(), out, error):
        raise Error(_text(error.message))
    return out.value


def _found(problems: _Problems) -> list[Problem]:
    found = []
    for i in range(problems.count):
        p = problems.items[i]
        if p.severity == 2:  # a warning stops nothing
            continue
        found.append(Problem(_text(p.code), _text(p.pointer), _text(p.message), tuple(
            Fix(_text(p.fixes[k].path), _text(p.fixes[k].value), _text(p.fixes[k].note))
            for k in range(p.fix_count))))
    return found


def _check(status: int, problems: _Problems, what: str) -> None:
    if status == _OK:
        _lib.ss_problems_release(problems)
        return
    found = _found(problems)
    _lib.ss_problems_release(problems)
    if status == _ENOMEM:
        raise MemoryError(what)
    message = "; ".join(p.message for p in found) or what
    raise (Refused if status == _EREFUSED else Error)(message, found)


class _Registry:
    """Documents, loaded once and shared by all cases made from them."""

    def __init__(self, folders: Sequence[str]):
        names = (ctypes.c_char_p * len(folders))(*[os.fsencode(f) for f in folders])
        self.handle, error = ctypes.c_void_p(), _Error()
        if _lib.ss_registry_new(self.handle, names, len(folders), error):
            raise Error(f"{_text(error.where)}: {_text(error.message)}")

    def __del__(self):
        if getattr(self, "handle", None):
            _lib.ss_registry_free(self.handle)


def _registry_folders() -> list[str]:
    candidates = [os.environ.get("STEPSCOPE_REGISTRY"),
                  os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"),
                               "stepscope", "registry"),
                  "/usr/local/share/stepscope/registry", "/usr/share/stepscope/registry"]
    return [c for c in candidates if c and os.path.isdir(c)]


Value = Union[None, bool, int, float, str]


def _value(value: Value) -> bytes:
    if value is None:
        return b""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return (repr(value) if isinstance(value, float) else str(value)).encode()


def _document(scenario: ctypes.c_void_p) -> Mapping[str, Any]:
    """A scenario as it is written."""
    text = _lib.ss_scenario_to_json(scenario)
    if not text:
        raise MemoryError("scenario")
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        _libc.free(text)


class Case:
    """A deployment, resolved. Cases are not changed: `set` makes another one."""

    def __init__(self, registry: _Registry, scenario: ctypes.c_void_p, pool: int = 0):
        self._registry, self._scenario, self._pool = registry, scenario, pool
        self._basis, self._kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self._step = ctypes.create_string_buffer(_lib.ss_type_size(b"step"))
        self._verdict = ctypes.create_string_buffer(_lib.ss_type_size(b"verdict"))
        problems = _Problems()
        _check(_lib.ss_basis_open(self._basis, registry.handle, scenario, None, 0, problems), problems,
               "cannot open what the scenario names")
        problems = _Problems()
        _check(_lib.ss_kernel_new(self._kernel, self._basis, scenario, pool,
                                  _lib.ss_scenario_corrections(scenario), problems), problems, "refused")
        document = _document(scenario)
        # new tokens of a request above which it is a prefill; 0: the engine's own
        self._decode_threshold = document.get("workload", {}).get("decode_threshold") or 0
        self._pools = len(document.get("deployment", {}).get("pools", ()))

    def __del__(self):
        for name, free in (("_kernel", _lib.ss_kernel_free), ("_basis", _lib.ss_basis_free),
                           ("_scenario", _lib.ss_scenario_free)):
            if getattr(self, name, None):
                free(getattr(self, name))

    def set(self, settings: Optional[Mapping[str, Value]] = None, **more: Value) -> "Case":
        """Another case with these settings, by path or its end; None leaves one unstated."""
        copy = ctypes.c_void_p()
        if _lib.ss_scenario_clone(copy, self._scenario):
            raise MemoryError("scenario")
        for path, value in {**(settings or {}), **more}.items():
            error = _Error()
            if _lib.ss_scenario_set(copy, self._pool, path.encode(), _value(value), error):
                _lib.ss_scenario_free(copy)
                raise Error(f"{_text(error.where)}: {_text(error.message)}")
        return Case(self._registry, copy, self._pool)

    def price(self, batch: str, figure: str = "lead", acceptance: float = 0.0) -> Price:
        """One step of a batch, `32x4096` or `1x8192p,8x4096`."""
        groups, count, error = ctypes.POINTER(_Group)(), ctypes.c_size_t(), _Error()
        if _lib.ss_batch_parse(groups, count, batch.encode(), error):
            raise Error(f"batch: {_text(error.message)}")
        try:
            return self._price(_Batch(groups, count.value, self._decode_threshold, 0), figure, acceptance)
        finally:
            _libc.free(groups)

    def serve(self, load: str, figure: str = "lead", acceptance: float = 0.0) -> Served:
        """A load through the engine's scheduler: `1024/512@64`, `1024/512@20/s`, a workload's name.

        Pools of prefill and decode, and traces, are for the program: `stepscope serve`.
        """
        if self._pools > 1:
            raise Error(f"{self._pools} pools: one that does both prefill and decode is played here")
        copy, pricer, run = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        resolved = ctypes.create_string_buffer(_lib.ss_type_size(b"load"))
        engine = ctypes.create_string_buffer(_lib.ss_type_size(b"serve_engine"))
        pricing = _Pricing(figure=_figure(figure), decode_threshold=self._decode_threshold,
                           acceptance=acceptance)
        error = _Error()

        def checked(status: int) -> None:
            if status == _ENOMEM:
                raise MemoryError("serve")
            if status:
                raise (Refused if status == _EREFUSED else Error)(_text(error.message))

        try:
            checked(_lib.ss_scenario_clone(copy, self._scenario))
            checked(_lib.ss_load_set(copy, self._registry.handle, load.encode(), error))
            shape = self._shape_of(copy)
            if _lib.ss_load_trace(copy, shape):
                raise Error(f"{load}: a trace is not played here")
            # a load without arrivals comes all at once, as the program has it
            checked(_lib.ss_load_resolve(resolved, copy, shape, 0, error))
            checked(_lib.ss_serve_pricer_new(pricer, self._kernel, pricing))
            checked(_lib.ss_serve_engine_of(engine, pricer, error))
            checked(_lib.ss_serve_new(run, resolved, engine, None, error))
            while _lib.ss_serve_run(run, 100000):
                pass
            return self._served(run)
        finally:
            for handle, free in ((run, _lib.ss_serve_free), (pricer, _lib.ss_serve_pricer_free),
                                 (copy, _lib.ss_scenario_free)):
                if handle:
                    free(handle)

    def _shape_of(self, scenario: ctypes.c_void_p) -> Optional[int]:
        """The workload that a scenario names, which gives what its load leaves unstated."""
        name, problems = _document(scenario).get("workload", {}).get("shape"), _Problems()
        if not name:
            return None
        shape = _lib.ss_registry_workload(self._registry.handle, name.encode(), problems)
        _check(_OK if shape else 3, problems, f"workload {name}: cannot be read")
        return shape

    @staticmethod
    def _served(run: ctypes.c_void_p) -> Served:
        result, one, rows = _Result(), _Request(), []
        if _lib.ss_serve_is_incomplete(run) or _lib.ss_serve_result(run, result):
            raise MemoryError("serve")
        for i in range(_lib.ss_serve_request_count(run)):
            _lib.ss_serve_request(run, i, one)
            values = {n: getattr(one, n) for n, _ in _Request._fields_}
            rows.append(Request(**{**values, "state": _text(_lib.ss_serve_state_name(one.state))}))
        latency = {n: Latency(*[getattr(result.latency[i], f) for f, _ in _Latency._fields_])
                   for i, n in enumerate(_LATENCIES)}
        return Served(*[getattr(result, n) for n in (*_COUNTS, *_RATES, "max_running", "is_saturated")],
                      latency, rows)

    def _price(self, batch: _Batch, figure: str, acceptance: float) -> Price:
        if not _lib.ss_kernel_has_price(self._kernel):
            raise Refused("a coefficient that the step reads is missing")
        _lib.ss_kernel_step(self._kernel, batch, self._step)
        _lib.ss_kernel_verdict(self._kernel, batch, self._verdict)
        lead = _lib.ss_kernel_lead(self._kernel, _figure(figure))
        seconds = _lib.ss_step_figure(self._step, lead)
        by_name = {f: _lib.ss_step_figure(self._step, _figure(f)) for f in ("serial", "overlap", "no_overlap")}
        kernels = (_lib.ss_step_figure(self._step, _figure("kernels"))
                   if _lib.ss_kernel_has_kernels(self._kernel) else float("nan"))
        totals = _lib.ss_step_resources(self._step, lead)
        names = [_text(_lib.ss_resource_name(i)) for i in range(16)]
        names = names[:names.index("")] if "" in names else names
        return Price(seconds, by_name["serial"], by_name["overlap"], by_name["no_overlap"], kernels,
                     names[_lib.ss_step_bottleneck(self._step, lead)],
                     {n: totals[i] for i, n in enumerate(names)},
                     _lib.ss_kernel_tokens_per_s(self._kernel, self._step, seconds, acceptance),
                     bool(self._verdict.raw[0]))


def open(scenario: str, registry: Optional[str] = None, pool: int = 0) -> Case:
    """The case of a scenario: a file, or the name of one beside a registry."""
    folders = ([registry] if registry else []) + _registry_folders()
    if not folders:
        raise Error("no registry; install one or set STEPSCOPE_REGISTRY")
    path = scenario
    if not re.search(r"[/.]json$|/", scenario):
        for folder in folders:
            beside = os.path.join(os.path.dirname(os.path.abspath(folder)), "scenarios", scenario + ".json")
            if os.path.exists(beside):
                path = beside
                break
    problems = _Problems()
    handle = _lib.ss_scenario_load(os.fsencode(path), problems)
    _check(_OK if handle else 3, problems, f"{path}: cannot be read")
    return Case(_Registry(folders), ctypes.c_void_p(handle), pool)


def sweep(case: Case, batch: Union[str, Iterable[str]], figure: str = "lead",
          **axes: Iterable[Value]) -> list[dict[str, Any]]:
    """Every combination of the axes; the last one varies fastest, the batches fastest of all.

    A refused row has `code` and `reason`; its figures are None.
    """
    batches = [batch] if isinstance(batch, str) else list(batch)
    rows = []
    for values in itertools.product(*[list(v) for v in axes.values()]):
        settings = dict(zip(axes, values))
        refused = None
        try:
            one = case.set(settings) if settings else case
        except Refused as why:
            refused = why
        for spec in batches:
            row: dict[str, Any] = {**settings, "batch": spec}
            try:
                if refused:
                    raise refused
                price = one.price(spec, figure)
                row.update(price._asdict(), code=None, reason=None)
                row.update({f"{n}_s": t for n, t in row.pop("resources").items()})
            except Refused as why:
                row.update(seconds=None, fits=None, code=why.problems[0].code if why.problems else "",
                           reason=str(why))
            rows.append(row)
    return rows


def arrays(rows: Sequence[Any]) -> dict[str, Any]:
    """Columns of a sweep, or of the requests served, as numpy arrays; what a row lacks is NaN, or None."""
    import numpy

    rows = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]

    names = list(dict.fromkeys(name for row in rows for name in row))
    out = {}
    for name in names:
        column = [row.get(name) for row in rows]
        is_number = all(v is None or isinstance(v, (int, float)) for v in column)
        out[name] = (numpy.array([float("nan") if v is None else v for v in column]) if is_number
                     else numpy.array(column, dtype=object))
    return out
