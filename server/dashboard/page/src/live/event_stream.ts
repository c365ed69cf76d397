// Server-sent events as text arrives: https://html.spec.whatwg.org/multipage/server-sent-events.html.
// EventSource cannot send an Authorization header, and a token in a URL would be logged, so the stream is
// read by fetch and taken apart here.
export interface StreamEvent {
  id: string;
  kind: string;
  data: string;
}

// A line without end would fill the memory of a page that stays open all day.
export const kMaxPending = 1 << 20;

export class EventParser {
  private pending = '';
  private id = '';
  private kind = '';
  private data: string[] = [];

  constructor(private readonly emit: (event: StreamEvent) => void) {}

  push(text: string): void {
    this.pending += text;
    let start = 0;
    for (;;) {
      const end = this.pending.indexOf('\n', start);
      if (end < 0) {
        break;
      }
      const line = this.pending.slice(start, end);
      this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
      start = end + 1;
    }
    this.pending = this.pending.slice(start);
    if (this.pending.length > kMaxPending) {
      throw new Error(`a line of the event stream is longer than ${kMaxPending} characters`);
    }
  }

  private line(line: string): void {
    if (line === '') {
      this.dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      return; // a comment: the server's sign of life
    }
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'id') {
      this.id = value;
    } else if (field === 'event') {
      this.kind = value;
    } else if (field === 'data') {
      this.data.push(value);
    }
  }

  private dispatch(): void {
    if (this.data.length > 0) {
      this.emit({ id: this.id, kind: this.kind || 'message', data: this.data.join('\n') });
    }
    this.kind = '';
    this.data = [];
  }
}
