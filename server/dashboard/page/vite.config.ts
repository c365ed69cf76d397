// honed serves what this makes from its own binary, under a policy that allows scripts and styles of
// its own origin only: nothing may be inlined, not even a small icon's style.
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2021',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    cssCodeSplit: false,
    // One chunk for a few lines is one more request: what is small goes to whoever needs it.
    rollupOptions: { output: { experimentalMinChunkSize: 8_000 } },
    reportCompressedSize: true,
  },
});
