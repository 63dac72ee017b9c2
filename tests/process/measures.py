"""What the kernel tells about a service process (proc(5))."""

from pathlib import Path


def status_kibibytes(pid: int, name: str) -> int:
    """A line of /proc/PID/status, such as VmRSS or VmHWM, in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise AssertionError(f"no {name} in the status of the process")


def resident_megabytes_peak(pid: int) -> float:
    """The most that the process ever had in memory, in MB of 10^6 bytes."""
    return status_kibibytes(pid, "VmHWM") * 1_024 / 1e6


def resident_megabytes(pid: int) -> float:
    return status_kibibytes(pid, "VmRSS") * 1_024 / 1e6


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def threads(pid: int) -> int:
    return status_kibibytes(pid, "Threads")
