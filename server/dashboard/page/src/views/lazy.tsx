// A view whose code is fetched when it is first looked at: the first load is what every view needs.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../ui/panel';

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element {
  let held: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [View, setView] = useState<ComponentType<P> | null>(() => held);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
      if (!held) {
        load().then(
          (view) => {
            held = view;
            setView(() => view);
          },
          // A coordinator that was upgraded serves other file names: the page has to be loaded again.
          () => setError(new Error('This part of the page could not be loaded. If the coordinator was upgraded, load the page again.')),
        );
      }
    }, []);
    return View ? <View {...props} /> : error ? <Failure error={error} /> : <p class="empty" role="status">Loading</p>;
  };
}
