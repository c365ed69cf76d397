import assert from 'node:assert/strict';
import test from 'node:test';
import { EventParser, kMaxPending, type StreamEvent } from '../src/live/event_stream';
import { pauseAfter } from '../src/live/follow';

function parse(...pieces: string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = new EventParser((event) => events.push(event));
  pieces.forEach((piece) => parser.push(piece));
  return events;
}

const kTwo = ':hello\n\nid: 7\nevent: job\ndata: {"a":1}\n\nid: 8\r\nevent: campaign\r\ndata: x\r\ndata: y\r\n\r\n';

test('events come out whole, however the bytes are cut', () => {
  const expected = [{ id: '7', kind: 'job', data: '{"a":1}' }, { id: '8', kind: 'campaign', data: 'x\ny' }];
  assert.deepEqual(parse(kTwo), expected);
  assert.deepEqual(parse(...kTwo), expected);
  for (let cut = 0; cut <= kTwo.length; cut += 1) {
    assert.deepEqual(parse(kTwo.slice(0, cut), kTwo.slice(cut)), expected);
  }
});

test('an event that is not at its end is none, and one without data neither', () => {
  assert.deepEqual(parse('id: 1\ndata: a\n'), []);
  assert.deepEqual(parse('id: 1\nevent: job\n\n'), []);
});

test('a line without end is refused before it fills the memory', () => {
  assert.throws(() => parse('data: ', 'x'.repeat(kMaxPending)), /longer than/);
});

test('pauses between attempts grow, to half a minute at most, and differ from page to page', () => {
  assert.equal(pauseAfter(0, 1), 500);
  assert.equal(pauseAfter(0, 0), 250);
  assert.equal(pauseAfter(3, 1), 4000);
  assert.equal(pauseAfter(1000, 1), 30_000);
});
