# The recipes for Workers, each with a socket of its own.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker), (name = "durable", worker = .durable)],
  sockets = [
    (name = "worker", address = "127.0.0.1:0", http = (), service = "worker"),
    (name = "durable", address = "127.0.0.1:0", http = (), service = "durable"),
  ],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.worker.mjs")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [(name = "MCP_KEY", text = "a secret of at least thirty-two characters")],
);

const durable :Workerd.Worker = (
  modules = [(name = "durable.mjs", esModule = embed "durable.worker.mjs")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["enable_request_signal"],
  durableObjectNamespaces = [(className = "Mcp", uniqueKey = "mcp")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "MCP", durableObjectNamespace = "Mcp")],
);
