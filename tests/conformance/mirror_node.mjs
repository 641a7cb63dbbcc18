// A client that others wrote for the mirror nodes of Hedera reads the topics of a daemon: pages, filters, order and errors.
// It takes a base address; the daemon's token goes into the headers of its requests.
//
// usage: node mirror_node.mjs HOST:PORT TOKEN, where node_modules of the folder it stands in has the client
// spec: LED-2a

import assert from "node:assert/strict";
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";

const [address, token] = process.argv.slice(2);
const here = pathToFileURL(`${process.cwd()}/`);
register("./bundled_imports.mjs", import.meta.url);
const client = createRequire(here).resolve("@tikz/hedera-mirror-node-ts");
const { Client, TopicMessages, optionalFilters } = await import(pathToFileURL(client).href);

const headers = { Authorization: `Bearer ${token}` };

async function send(subject) {
  const body = JSON.stringify({ to_agent: "human", message_type: "fyi", subject });
  const asked = { method: "POST", body, headers: { ...headers, "Content-Type": "application/json" } };
  const answer = await fetch(`http://${address}/api/inbox/send`, asked);
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

const sent = [];
for (let n = 1; n <= 7; n += 1) sent.push(await send(`message ${n}`));
const topic = sent[0].topic_id;

const node = new Client(`http://${address}`);
Object.assign(node.baseApi.defaults.headers.common, headers);
const messages = () => TopicMessages.v1(node, topic);
const numbers = (page) => page.messages.map((message) => message.sequence_number);
const first = sent[0].sequence_number;
const all = sent.map((message) => message.sequence_number);

// Pages, followed by the links that the daemon gives.
const asked = messages().setLimit(3).sequenceNumber(optionalFilters.greaterThanEqualTo(first));
const seen = [];
for (let page = await asked.get(); page; page = await asked.next()) {
  assert.ok(page.messages.length <= 3);
  seen.push(...page.messages);
}
assert.deepEqual(seen.map((message) => message.sequence_number), all);
const subjects = seen.map((message) => JSON.parse(Buffer.from(message.message, "base64")).data.subject);
assert.deepEqual(subjects, [1, 2, 3, 4, 5, 6, 7].map((n) => `message ${n}`));
for (const [n, message] of seen.entries()) {
  assert.equal(message.consensus_timestamp, sent[n].consensus_timestamp);
  assert.match(message.consensus_timestamp, /^\d+\.\d{9}$/);
  assert.equal(message.topic_id, topic);
  assert.match(message.payer_account_id, /^0\.0\.\d+$/);
  assert.equal(message.running_hash_version, 3);
  assert.equal(Buffer.from(message.running_hash, "base64").length, 48);
}

// Order and filters.
const backwards = messages().order("desc").setLimit(2);
assert.deepEqual(numbers(await backwards.get()), [all[6], all[5]]);
assert.deepEqual(numbers(await backwards.next()), [all[4], all[3]]);
const by = async (filter) => numbers(await messages().sequenceNumber(filter).get());
assert.deepEqual(await by(optionalFilters.equalTo(all[2])), [all[2]]);
assert.deepEqual(await by(optionalFilters.greaterThan(all[4])), all.slice(5));
assert.deepEqual((await by(optionalFilters.lessThanEqualTo(all[1]))).slice(-2), all.slice(0, 2));
const since = optionalFilters.greaterThan(sent[3].consensus_timestamp);
assert.deepEqual(numbers(await messages().timestamp(since).get()), all.slice(4));

// Errors in the form of a mirror node, with its statuses.
async function refused(status, request) {
  const error = await request.then(() => assert.fail("it is refused"), (error) => error);
  assert.equal(error.response?.status, status, String(error));
  assert.ok(error.response.data._status.messages[0].message, JSON.stringify(error.response.data));
}
await refused(404, TopicMessages.v1(node, "0.0.999999").get());
await refused(400, TopicMessages.v1(node, "no-topic").get());
await refused(400, messages().sequenceNumber("gt:x").get());
await refused(400, messages().setLimit(-1).get());
await refused(400, messages().timestamp("yesterday").get());
const stranger = new Client(`http://${address}`);
const error = await TopicMessages.v1(stranger, topic).get().then(() => null, (error) => error);
assert.equal(error?.response?.status, 401, "the topics are behind the daemon's gate");
console.log("mirror_node.mjs: all is well");
