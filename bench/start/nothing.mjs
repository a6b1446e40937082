// Bare Node: does nothing until it is ended.
setInterval(() => {}, 2 ** 30);
