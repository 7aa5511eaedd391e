"""The files in deploy/: they fit their schemas and each other, and the program takes the commands in them.

The schemas are those of the Compose specification and of Kubernetes. No package has that of KubeRay.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
import yaml
from lightkube.models.core_v1 import PodTemplateSpec

from docs.pages import ROOT
from readagent.cli import app

DEPLOY = ROOT / "deploy"
IMAGE = "rayproject/ray:"


def loaded(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


def takes(line: str) -> None:
    """Raise if the program does not take this command line."""
    words = shlex.split(line)
    assert words.pop(0) == "readagent"
    context: click.Context = app.make_context("readagent", words)
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(name, list(rest), parent=context)


def ray_version() -> str:
    found = re.search(rf"^FROM {IMAGE}(\d+\.\d+\.\d+)-py311$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.M)
    assert found
    return found[1]


def test_the_image_copies_what_git_has() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY --chown=ray (.*) \S+$", text, re.M) for word in line.split()]
    assert copied == ["pyproject.toml", "README.md", "LICENSE", "src"]
    assert all((ROOT / name).exists() for name in copied)
    extras = re.search(r"readagent\[([\w,]+)\]", text)
    assert extras
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(f"\n{extra} = [" in project for extra in extras[1].split(","))


def faults_of_compose(path: Path) -> str:
    """Return what the schema of the Compose specification does not allow in a file."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_services_fit_the_schema_of_compose() -> None:
    assert faults_of_compose(DEPLOY / "compose.yaml") == ""


def test_the_services_fit_each_other() -> None:
    compose = loaded("compose.yaml")
    services = compose["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert all(isinstance(value, str) for value in service["environment"].values())
        named = [one.split(":")[0] for one in service["volumes"] if not one.startswith(("$", ".", "/"))]
        assert set(named) <= set(compose["volumes"])
    assert (DEPLOY / services["head"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / services["head"]["build"]["dockerfile"]).is_file()
    user = services["database"]["environment"]["POSTGRES_USER"]
    assert services["head"]["environment"]["READAGENT_LIBRARY"] == f"postgresql://{user}@database/{user}"
    assert "head:6379" in services["worker"]["command"]


def check_pod(template: dict[str, Any]) -> None:
    """Raise if Kubernetes does not know a field of the template of a pod, or takes another type for it."""
    pod = msgspec.convert(template, PodTemplateSpec)
    assert pod.to_dict() == template  # fields that it does not know are left out


def test_the_job_is_one_that_kuberay_takes() -> None:
    job = loaded("kuberay.yaml")
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    takes(job["spec"]["entrypoint"])
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["rayVersion"] == ray_version()
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        check_pod(group["template"])
        (container,) = group["template"]["spec"]["containers"]
        assert container["image"].endswith(f":{ray_version()}")
        for variable in container["env"]:
            secret = variable.get("valueFrom", {}).get("secretKeyRef")
            assert ("value" in variable) != (secret is not None)
        assert {"library", "password", "key"} == {
            one["valueFrom"]["secretKeyRef"]["key"] for one in container["env"] if "valueFrom" in one
        }
    for workers in cluster["workerGroupSpecs"]:
        assert workers["groupName"]
        assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]


def test_the_model_is_an_application_of_ray_serve() -> None:
    (application,) = loaded("vllm.yaml")["applications"]
    assert application["import_path"] == "ray.serve.llm:build_openai_app"
    (model,) = application["args"]["llm_configs"]
    scaling = model["deployment_config"]["autoscaling_config"]
    assert scaling["min_replicas"] <= scaling["max_replicas"]
    text = (DEPLOY / "vllm.yaml").read_text("utf-8")
    assert f"--model {model['model_loading_config']['model_id']}`" in text


def test_no_file_has_a_password() -> None:
    for file in DEPLOY.iterdir():
        text = file.read_text("utf-8")
        assert not re.search(r"(?i)password\s*[:=]\s*(?!\$|…|set|\s)[\w'\"]{4,}", text.replace("key: password", ""))
