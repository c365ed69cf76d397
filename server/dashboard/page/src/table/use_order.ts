// A table's order kept in the URL, under a key of its own where a view has several tables.
import { useCallback } from 'preact/hooks';
import { setQuery, usePlace } from '../route/router';
import { orderText, parseOrder, type Column, type Order } from './column';

export function useOrder(key: string, columns: readonly Column[], fallback: Order): [Order, (order: Order) => void] {
  const order = parseOrder(usePlace().query.get(key), columns, fallback);
  const change = useCallback(
    (next: Order) => setQuery({ [key]: orderText(next) === orderText(fallback) ? null : orderText(next) }),
    [key, fallback.key, fallback.down],
  );
  return [order, change];
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
