// How wide a drawing's place is, now and whenever that changes.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

const kUntilKnown = 640;

// The place to draw in, and its width, never below `least` pixels.
export function useWidth(least: number): [RefObject<HTMLDivElement>, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kUntilKnown);
  useEffect(() => {
    const box = place.current;
    if (!box) {
      return undefined;
    }
    const observer = new ResizeObserver(() => setWidth(Math.max(least, box.clientWidth)));
    observer.observe(box);
    return () => observer.disconnect();
  }, [least]);
  return [place, width];
}
