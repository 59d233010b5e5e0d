// Makes the calls of that service's own client for Node, unchanged, against an adapter: rank, reward, and what is refused.
// Arguments: the folder in which its packages are installed, and the adapter's address.
'use strict';
const assert = require('node:assert/strict');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const [folder, endpoint] = process.argv.slice(2);
const installed = createRequire(join(folder, 'package.json'));
const { PersonalizerClient } = installed('@azure/cognitiveservices-personalizer');
const { CognitiveServicesCredentials } = installed('@azure/ms-rest-azure-js');
const { version } = installed('@azure/cognitiveservices-personalizer/package.json');

const request = (eventId, more) => ({
  contextFeatures: [{ timeOfDay: 'Morning' }],
  actions: [
    { id: 'NewsArticle', features: [{ type: 'News' }] },
    { id: 'SportsArticle', features: [{ type: 'Sports' }] },
    { id: 'EntertainmentArticle', features: [{ type: 'Entertainment' }] },
  ],
  excludedActions: ['SportsArticle'],
  eventId,
  deferActivation: false,
  ...more,
});

async function main() {
  const client = new PersonalizerClient(new CognitiveServicesCredentials('not checked'), endpoint, { noRetryPolicy: true });
  let calls = 0;
  for (const value of [1, 0.5, 0, -0.5, -1]) {
    const id = `sdk-${value}`;
    const r = await client.rank(request(id));
    assert.equal(r.eventId, id);
    assert.equal(r.ranking.length, 3);
    assert.ok(['NewsArticle', 'EntertainmentArticle'].includes(r.rewardActionId));
    assert.deepEqual(r.ranking.filter((x) => x.id === 'SportsArticle').map((x) => x.probability), [0]);
    assert.equal((await client.rank(request(id))).rewardActionId, r.rewardActionId, 'the same event is ranked once');
    await client.events.reward(id, { value });
    await client.events.reward(id, { value }); // again
    calls += 4;
  }
  const made = await client.rank(request(undefined));
  await client.events.reward(made.eventId, { value: 1 });
  for (const [what, call, status] of [
    ['another reward of an event', () => client.events.reward('sdk-1', { value: 0 }), 409],
    ['a reward of no event', () => client.events.reward('nowhere', { value: 0 }), 404],
    ['a reward out of range', () => client.events.reward('sdk-1', { value: 2 }), 400],
    ['an activation', () => client.events.activate('sdk-1'), 404],
    ['a deferred rank', () => client.rank(request('later', { deferActivation: true })), 400],
  ]) {
    await assert.rejects(call(), (err) => {
      assert.equal(err.statusCode, status, `${what}: ${err.message}`);
      return true;
    });
  }
  console.log(`the service's own client ${version}: ${calls + 2} calls of rank and reward taken, 5 refused as documented`);
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
