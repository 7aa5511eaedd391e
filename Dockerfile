# ReadAgent with the extras `local` and `serve`. How to use it: docs/install.md.
# scripts/check_dockerfile.py checks this file where there is no Docker.

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/readagent \
    && /opt/readagent/bin/python -m pip install --no-cache-dir '.[local,serve]'

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 readagent \
    && install --directory --owner readagent --group readagent /data /work
COPY --from=build /opt/readagent /opt/readagent
ENV PATH="/opt/readagent/bin:$PATH" \
    READAGENT_HOME="/data"
USER readagent
VOLUME /data
WORKDIR /work
EXPOSE 8765
ENTRYPOINT ["readagent"]
CMD ["--help"]
