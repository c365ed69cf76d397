// Who is signed in, for every part that shows or hides what needs a role.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Deed, WhoAmI } from '../api/shapes';

// Before the server has said who it is.
export const kNobody: WhoAmI = { name: '', role: '', may: { read: true, submit: false, step: false, administer: false } };

export const Who = createContext<WhoAmI>(kNobody);

export function useMay(deed: Deed): boolean {
  return useContext(Who).may[deed];
}
