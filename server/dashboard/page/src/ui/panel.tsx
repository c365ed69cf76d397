import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { takeMove } from '../route/router';

interface PanelProps {
  title: string;
  actions?: ComponentChildren;
  wide?: string; // class of the grid: w3 ... w12
  flush?: boolean; // tables reach the edge
  children: ComponentChildren;
}

// A region with a heading: what a reader of screens jumps between.
export function Panel({ title, actions, wide, flush, children }: PanelProps) {
  return (
    <section class={`panel ${wide ?? ''}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions ? <div class="actions">{actions}</div> : null}
      </header>
      <div class={flush ? 'body flush' : 'body'}>{children}</div>
    </section>
  );
}

interface HeadProps {
  title: ComponentChildren;
  sub?: ComponentChildren;
  children?: ComponentChildren;
}

// The first heading of a view. It takes the focus where a link led here, so that the keyboard and a reader of
// screens begin there; not at the first load, where a browser has its own idea.
export function Head({ title, sub, children }: HeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeMove()) {
      heading.current?.focus({ preventScroll: true });
    }
  });
  return (
    <div class="head">
      <div>
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {sub ? <div class="sub">{sub}</div> : null}
      </div>
      <div class="actions">{children}</div>
    </div>
  );
}

export function Facts({ items }: { items: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function Figure({ value, label, tone }: { value: ComponentChildren; label: string; tone?: string }) {
  return (
    <div class="figure">
      <b class={tone ?? ''}>{value}</b>
      <span>{label}</span>
    </div>
  );
}

export function Failure({ error }: { error: Error | null }) {
  return error ? (
    <div class="note bad" role="alert">
      {error.message}
    </div>
  ) : null;
}

// While there is nothing to show: why.
export function Waiting({ error }: { error: Error | null }) {
  return error ? <Failure error={error} /> : <p class="empty" role="status">Loading</p>;
}
