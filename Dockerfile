# Parlour in a container: saves are in the volume /data. docs/install.md says how to use it.
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements/build.txt requirements/build.txt
RUN pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY . .
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.12-slim
COPY requirements/run.txt /tmp/run.txt
RUN pip install --no-cache-dir --require-hashes -r /tmp/run.txt
COPY --from=build /wheels /tmp/wheels
RUN pip install --no-cache-dir --no-deps /tmp/wheels/*.whl
RUN useradd --create-home --uid 1000 parlour && install --directory --owner parlour /data
USER parlour
WORKDIR /data
VOLUME /data
ENTRYPOINT ["parlour"]
CMD ["--help"]
