// Passes requests on to a daemon, each with its token: the suite has no way to send one. Host and Origin stay as they are.
//
// usage: node with_token.mjs HOST:PORT TOKEN; it prints its own port

import http from "node:http";

const [address, token] = process.argv.slice(2);
const [hostname, port] = address.split(":");

const server = http.createServer((request, answer) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const asked = http.request({ hostname, port, method: request.method, path: request.url, headers }, (told) => {
    answer.writeHead(told.statusCode, told.headers);
    answer.flushHeaders();
    told.pipe(answer);
  });
  asked.on("error", () => answer.destroy());
  // Whoever hangs up here hangs up there.
  answer.on("close", () => asked.destroy());
  request.pipe(asked);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
