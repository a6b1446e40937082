# Two Workers, each with a socket of its own; the second has the first bound to it.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "server", worker = .server),
    (name = "client", worker = .client),
    (name = "internet", network = (allow = ["local", "private"])),
  ],
  sockets = [
    (name = "server", address = "127.0.0.1:0", http = (), service = "server"),
    (name = "client", address = "127.0.0.1:0", http = (), service = "client"),
  ],
);

const server :Workerd.Worker = (
  modules = [(name = "server.mjs", esModule = embed "worker-server.worker.mjs")],
  compatibilityDate = "2026-10-01",
  # Without it nobody is told that a client hung up.
  compatibilityFlags = ["enable_request_signal"],
  durableObjectNamespaces = [(className = "Endpoint", uniqueKey = "endpoint")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "ENDPOINT", durableObjectNamespace = "Endpoint")],
);

const client :Workerd.Worker = (
  modules = [(name = "client.mjs", esModule = embed "worker-client.worker.mjs")],
  compatibilityDate = "2026-10-01",
  bindings = [(name = "SERVER", service = "server")],
);
