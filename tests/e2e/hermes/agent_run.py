"""One conversation of the real Hermes with the plugin and the recorder in it, driven by a scripted model."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_web import LocalWeb
from real_hermes import HERE, HERMES_PYTHON, RUN_SECONDS_MAX
from scripted_model import ScriptedModel

from sourcecorpus.hermes.installation import HermesPlugins
from sourcecorpus.hermes.plugin.connection import ask
from sourcecorpus.hermes.plugin.locations import Endpoint


@dataclass
class HermesHome:
    """A HERMES_HOME of its own, with a data folder for the sidecar."""

    folder: Path
    capture_address: str
    game: str = "emberfall"
    with_plugin: bool = True
    neighbours: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    @property
    def events_file(self) -> Path:
        return self.folder / "events.jsonl"

    def prepare(self, model_port: int) -> None:
        plugins = self.folder / "plugins"
        plugins.mkdir(parents=True)
        enabled = []
        if self.with_plugin:
            HermesPlugins.of(self.folder).install(self.data_dir)
            enabled.append("source-corpus")
        for name in ("recorder", *self.neighbours):
            shutil.copytree(HERE / name, plugins / name)
            enabled.append(name)
        config = {
            "model": {
                "provider": "custom",
                "default": "scripted",
                "base_url": f"http://127.0.0.1:{model_port}/v1",
                "api_key": "local",
                "context_length": 200_000,
            },
            "web": {
                "backend": "firecrawl",
                "extract_backend": "firecrawl",
                "search_backend": "firecrawl",
            },
            "plugins": {"enabled": enabled, "entries": {"source-corpus": {"game": self.game}}},
            **self.settings,
        }
        # JSON is YAML.
        self.folder.joinpath("config.yaml").write_text(json.dumps(config), encoding="utf-8")

    def environment(self, web_port: int) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            "HERMES_HOME": str(self.folder),
            "RECORDER_FILE": str(self.events_file),
            "FIRECRAWL_API_URL": f"http://127.0.0.1:{web_port}",
            "FIRECRAWL_API_KEY": "fc-local",
            "PYTHONDONTWRITEBYTECODE": "1",
            "SOURCECORPUS_DATA_DIR": str(self.data_dir),
            "SOURCECORPUS_CAPTURE_ADDRESS": self.capture_address,
            "SOURCECORPUS_SIDECAR_IDLE_SECONDS": "5",
        }

    def run(
        self, prompt: str, model: ScriptedModel, web: LocalWeb, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """``hermes -z``: ends with os._exit right after the turn."""
        command = [str(HERMES_PYTHON.with_name("hermes")), "-z", prompt]
        return self.start(command, model, web, **variables)

    def converse(
        self, prompts: list[str], model: ScriptedModel, web: LocalWeb, *, wait: float = 0.0
    ) -> subprocess.CompletedProcess[str]:
        """Several turns of one agent, and a wait for what goes on behind them."""
        command = [str(HERMES_PYTHON), str(HERE / "drive_agent.py"), str(wait), *prompts]
        return self.start(command, model, web)

    def start(
        self, command: list[str], model: ScriptedModel, web: LocalWeb, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of Hermes in this home."""
        if not (self.folder / "config.yaml").exists():
            self.prepare(model.port)
        done = subprocess.run(
            command,
            env={**self.environment(web.port), **variables, **self.variables},
            cwd=self.folder,
            check=False,
            timeout=RUN_SECONDS_MAX,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2_000:]
        return done

    def recorded(self) -> list[dict[str, Any]]:
        """The events that the recorder saw."""
        if not self.events_file.exists():
            return []
        lines = self.events_file.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line]

    def status(self) -> dict[str, Any]:
        """What the running sidecar says."""
        document = json.loads((self.data_dir / "hermes" / "sidecar.json").read_text("utf-8"))
        endpoint = Endpoint(unix_path=document["unix_path"])
        return ask("status", {}, 10.0, endpoint)

    def stored_bytes(self) -> bytes:
        """Everything that the sidecar has written, logs included."""
        files = [path for path in self.data_dir.rglob("*") if path.is_file()]
        return b"".join(path.read_bytes() for path in files if path.name != "redaction.key")
