# Two stages: the first has the sources and what SQLite's binding is compiled with; the second runs the package as `npm pack` makes it, and
# has neither. The tag names one version of Node.js, but can be given other bytes; SECURITY.md says how to name them by their digest.
ARG NODE_IMAGE=node:22.21.1-bookworm-slim
FROM ${NODE_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 make g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
RUN npm ci \
    && npm pack --pack-destination / \
    && mkdir /app \
    && tar -xzf /almanac-*.tgz -C /app --strip-components=1
WORKDIR /app
# without the sources of SQLite and what compiling them leaves
RUN npm ci --omit=dev && npm cache clean --force \
    && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/build/Release/obj*

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE=/data/almanac.db
WORKDIR /app
COPY --from=build /app ./
RUN ln -s /app/bin/almanac.js /usr/local/bin/almanac \
    && mkdir /data \
    && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "packaging/start.sh"]
