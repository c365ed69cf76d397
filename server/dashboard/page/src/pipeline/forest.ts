// Pipeline text of LLVM's new pass manager as a forest: "function(sroa,loop(licm<x>))" is one node with
// two children. Angle brackets may hold commas and nested brackets; they belong to the name.
export interface PassNode {
  name: string;
  children: PassNode[];
}

export const kMaxPipelineDepth = 64;

// Null where brackets do not match or nesting is absurd: the text is then shown as it is.
export function parseForest(text: string): PassNode[] | null {
  const reader = { text, at: 0 };
  const nodes = readList(reader, 0);
  return nodes !== null && reader.at === text.length ? nodes : null;
}

interface Reader {
  text: string;
  at: number;
}

function readList(reader: Reader, depth: number): PassNode[] | null {
  if (depth > kMaxPipelineDepth) {
    return null;
  }
  const nodes: PassNode[] = [];
  while (reader.at < reader.text.length && reader.text[reader.at] !== ')') {
    const name = readName(reader);
    if (name === null) {
      return null;
    }
    const node: PassNode = { name, children: [] };
    if (reader.text[reader.at] === '(') {
      reader.at += 1;
      const children = readList(reader, depth + 1);
      if (children === null || reader.text[reader.at] !== ')') {
        return null;
      }
      reader.at += 1;
      node.children = children;
    }
    nodes.push(node);
    if (reader.text[reader.at] === ',') {
      reader.at += 1;
    }
  }
  return nodes;
}

// Up to the next comma or parenthesis outside of angle brackets. Null if empty.
function readName(reader: Reader): string | null {
  const start = reader.at;
  let angles = 0;
  for (; reader.at < reader.text.length; reader.at += 1) {
    const letter = reader.text[reader.at];
    if (letter === '<') {
      angles += 1;
    } else if (letter === '>') {
      angles -= 1;
    } else if (angles === 0 && (letter === ',' || letter === '(' || letter === ')')) {
      break;
    }
  }
  const name = reader.text.slice(start, reader.at).trim();
  return name === '' || angles !== 0 ? null : name;
}

export function forestText(nodes: readonly PassNode[]): string {
  return nodes
    .map((node) => (node.children.length === 0 ? node.name : `${node.name}(${forestText(node.children)})`))
    .join(',');
}
