// A component that is made anew only where one of its props is another thing: of 10,000 candidates the table and
// chart stay as they are while the mark that says "live" changes.
import { Component, createElement, type ComponentType, type VNode } from 'preact';

export function memo<P extends object>(Inner: (props: P) => VNode | null): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const names = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof P>;
      return [...names].some((name) => this.props[name] !== next[name]);
    }

    override render(): VNode {
      return createElement(Inner, this.props as P) as VNode;
    }
  };
}
