// A decoder of the file format xz, with the filter LZMA2 and the check CRC-32: what package xz writes, and more.
// It decodes while the file comes, and never believes what it reads: a file that is damaged or cut off is an
// XZError.
//
// The formats are those of "The .xz File Format" 1.2 and of LZMA as 7-Zip and XZ Utils have it.

// XZError says what is wrong with a file.
export class XZError extends Error {}

// most is the greatest size of a block that is decoded: memory for it is taken at once.
const most = 256 << 20;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let i = 0; i < 8; i++) n = (n >>> 1) ^ (n & 1 ? 0xedb88320 : 0);
  return n;
});

// crc32 continues a CRC-32, which begins with 0.
export function crc32(bytes, crc = 0) {
  let c = ~crc;
  for (let i = 0; i < bytes.length; i++) c = crcTable[(c ^ bytes[i]) & 0xff] ^ (c >>> 8);
  return ~c >>> 0;
}

const word = (bytes, at) =>
  (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;

const same = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]);

function damaged(what) {
  return new XZError(`the file is damaged: ${what}`);
}

// Input hands out bytes of a stream, as many as are asked for.
class Input {
  #read;
  #part = new Uint8Array(0);
  #at = 0;
  count = 0; // bytes handed out

  constructor(read) {
    this.#read = read;
  }

  async take(size) {
    this.count += size;
    if (this.#part.length - this.#at >= size) {
      this.#at += size;
      return this.#part.subarray(this.#at - size, this.#at);
    }
    const out = new Uint8Array(size);
    for (let filled = 0; filled < size;) {
      if (this.#at === this.#part.length) {
        this.#part = await this.#next();
        this.#at = 0;
      }
      const part = this.#part.subarray(this.#at, this.#at + size - filled);
      out.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return out;
  }

  async byte() {
    return (await this.take(1))[0];
  }

  async #next() {
    const { done, value } = await this.#read();
    if (done) throw new XZError("the file is cut off");
    return value;
  }

  // ended says whether nothing follows.
  async ended() {
    while (this.#at === this.#part.length) {
      const { done, value } = await this.#read();
      if (done) return true;
      this.#part = value;
      this.#at = 0;
    }
    return false;
  }
}

// Fields reads numbers of variable length from bytes.
class Fields {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    if (this.at >= this.bytes.length) throw damaged("a field is cut off");
    return this.bytes[this.at++];
  }

  number() {
    for (let n = 0, scale = 1; ; scale *= 128) {
      const b = this.byte();
      n += (b & 127) * scale;
      if (n > Number.MAX_SAFE_INTEGER || (b === 0 && scale > 1)) throw damaged("a number is wrong");
      if (b < 128) return n;
    }
  }

  // zeros demands that only zeros are left.
  zeros() {
    if (this.bytes.subarray(this.at).some((b) => b !== 0)) throw damaged("zeros are missing");
  }
}

// Lengths of the table of probabilities, and where its parts begin.
const states = 12;
const isMatch = 0; // by state and place
const isLong = isMatch + states * 16;
const isRep = isLong + states * 16; // by state
const isRep0 = isRep + states;
const isRep1 = isRep0 + states;
const isRep2 = isRep1 + states;
const slotTrees = isRep2 + states; // four trees of 64
const special = slotTrees + 4 * 64; // 14 trees of up to 32, by slot
const align = special + 14 * 32;
const lengthSize = 2 + 16 * 8 * 2 + 256; // two choices, two sets of trees by place, and a tree
const matchLength = align + 16;
const repLength = matchLength + lengthSize;
const literals = repLength + lengthSize;

// Lzma decodes a block: chunks of LZMA2 become bytes of out.
class Lzma {
  #probs = new Uint16Array(literals + 0x300 * 16);
  #out;
  #at = 0;
  #in = null;
  #next = 0; // of #in
  // The range decoder: its code and its width, in an array so that they stay 32 bits wide.
  #range = new Uint32Array(2);
  #reps = new Uint32Array(4); // the latest distances, counted from 0
  #state = 0;
  #lc = 0;
  #literalPlace = 0; // bits of a position
  #place = 0;

  constructor(out) {
    this.#out = out;
  }

  get length() {
    return this.#at;
  }

  // reset takes what a chunk may begin anew: properties, if it has some, and the state.
  reset(properties) {
    if (properties !== undefined) {
      const lc = properties % 9,
        lp = Math.floor(properties / 9) % 5,
        pb = Math.floor(properties / 45);
      if (pb > 4 || lc + lp > 4) throw damaged("wrong properties");
      this.#lc = lc;
      this.#literalPlace = (1 << lp) - 1;
      this.#place = (1 << pb) - 1;
    }
    this.#probs.fill(1024);
    this.#reps.fill(0);
    this.#state = 0;
  }

  // copy takes bytes that are not compressed.
  copy(bytes) {
    if (bytes.length > this.#out.length - this.#at) throw damaged("too much data");
    this.#out.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  // chunk decodes size bytes from a chunk.
  chunk(bytes, size) {
    const end = this.#at + size;
    if (end > this.#out.length) throw damaged("too much data");
    if (bytes.length < 5 || bytes[0] !== 0) throw damaged("a chunk begins wrongly");
    this.#in = bytes;
    this.#next = 5;
    this.#range[0] = ((bytes[1] << 24) | (bytes[2] << 16) | (bytes[3] << 8) | bytes[4]) >>> 0;
    this.#range[1] = 0xffffffff;
    while (this.#at < end) this.#symbol(end);
    this.#normalize();
    if (this.#range[0] !== 0 || this.#next !== bytes.length) throw damaged("a chunk ends wrongly");
  }

  // #normalize widens the range. Behind the end of a chunk it reads zeros; chunk finds that out.
  #normalize() {
    const range = this.#range;
    if (range[1] < 0x1000000) {
      range[1] <<= 8;
      range[0] = (range[0] << 8) | this.#in[this.#next++];
    }
  }

  #bit(i) {
    const range = this.#range,
      probs = this.#probs;
    if (range[1] < 0x1000000) {
      range[1] <<= 8;
      range[0] = (range[0] << 8) | this.#in[this.#next++];
    }
    const p = probs[i],
      bound = Math.imul(range[1] >>> 11, p) >>> 0;
    if (range[0] < bound) {
      range[1] = bound;
      probs[i] = p + ((2048 - p) >> 5);
      return 0;
    }
    range[0] -= bound;
    range[1] -= bound;
    probs[i] = p - (p >> 5);
    return 1;
  }

  // #tree decodes a number of some bits, the highest first.
  #tree(base, bits) {
    let m = 1;
    for (let i = 0; i < bits; i++) m = (m << 1) | this.#bit(base + m);
    return m - (1 << bits);
  }

  // #reverse decodes a number of some bits, the lowest first.
  #reverse(base, bits) {
    let m = 1,
      n = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(base + m);
      m = (m << 1) | bit;
      n |= bit << i;
    }
    return n;
  }

  #direct(bits) {
    const range = this.#range;
    let n = 0;
    for (let i = 0; i < bits; i++) {
      this.#normalize();
      range[1] >>>= 1;
      const bit = range[0] >= range[1] ? 1 : 0;
      if (bit) range[0] -= range[1];
      n = (n << 1) | bit;
    }
    return n >>> 0;
  }

  #length(base, place) {
    if (!this.#bit(base)) return 2 + this.#tree(base + 2 + place * 8, 3);
    if (!this.#bit(base + 1)) return 10 + this.#tree(base + 2 + 128 + place * 8, 3);
    return 18 + this.#tree(base + 2 + 256, 8);
  }

  #distance(length) {
    const slot = this.#tree(slotTrees + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1,
      high = ((2 | (slot & 1)) << bits) >>> 0;
    if (slot < 14) return high + this.#reverse(special + slot * 32, bits);
    return high + this.#direct(bits - 4) * 16 + this.#reverse(align, 4);
  }

  #literal() {
    const out = this.#out,
      at = this.#at,
      before = at > 0 ? out[at - 1] : 0;
    const base = literals + 0x300 * (((at & this.#literalPlace) << this.#lc) | (before >> (8 - this.#lc)));
    let m = 1;
    if (this.#state >= 7) {
      // The byte that the match before would have had next predicts this one, up to the first bit that differs.
      let other = out[at - this.#reps[0] - 1];
      while (m < 0x100) {
        const guess = (other >> 7) & 1;
        other <<= 1;
        const bit = this.#bit(base + 0x100 + (guess << 8) + m);
        m = (m << 1) | bit;
        if (bit !== guess) break;
      }
    }
    while (m < 0x100) m = (m << 1) | this.#bit(base + m);
    out[at] = m;
    this.#at = at + 1;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  // #symbol decodes a literal, a repetition of a distance, or a match, up to end.
  #symbol(end) {
    const place = this.#at & this.#place,
      state = this.#state,
      reps = this.#reps;
    if (!this.#bit(isMatch + state * 16 + place)) {
      this.#literal();
      return;
    }
    let length = 1;
    if (!this.#bit(isRep + state)) {
      length = this.#length(matchLength, place);
      const distance = this.#distance(length);
      reps.copyWithin(1, 0, 3);
      reps[0] = distance;
      this.#state = state < 7 ? 7 : 10;
    } else {
      const rep = this.#rep(state);
      if (rep === 0 && !this.#bit(isLong + state * 16 + place)) {
        this.#state = state < 7 ? 9 : 11;
      } else {
        const distance = reps[rep];
        reps.copyWithin(1, 0, rep);
        reps[0] = distance;
        length = this.#length(repLength, place);
        this.#state = state < 7 ? 8 : 11;
      }
    }
    this.#repeat(length, end);
  }

  // #rep decodes which of the latest distances repeats.
  #rep(state) {
    if (!this.#bit(isRep0 + state)) return 0;
    if (!this.#bit(isRep1 + state)) return 1;
    return 2 + this.#bit(isRep2 + state);
  }

  #repeat(length, end) {
    const out = this.#out,
      distance = this.#reps[0] + 1;
    let at = this.#at;
    if (distance > at) throw damaged("a match before the beginning");
    if (length > end - at) throw damaged("a match behind the end of a chunk");
    for (const stop = at + length; at < stop; at++) out[at] = out[at - distance];
    this.#at = at;
  }
}

// chunks decodes the chunks of a block, and hands out what they hold.
async function chunks(input, out, write) {
  const lzma = new Lzma(out);
  let wanted = 0xe0; // what the next chunk has to reset at least
  for (let control = await input.byte(); control !== 0; control = await input.byte()) {
    const begin = lzma.length;
    // 1 and 2 are data as they are; from 0x80 on the bits 5 and 6 say what is reset.
    if (control > 2 && control < 0x80) throw damaged("an unknown chunk");
    if (wanted === 0xe0 && control !== 1 && control < 0xe0) throw damaged("a block begins wrongly");
    if (control < 0x80) {
      const [high, low] = await input.take(2);
      lzma.copy(await input.take(((high << 8) | low) + 1));
      if (wanted === 0xe0) wanted = 0xc0;
    } else {
      const [a, b, c, d] = await input.take(4);
      if (control < Math.min(wanted, 0xc0)) throw damaged("a chunk lacks its properties");
      if (control >= 0xc0) lzma.reset(await input.byte());
      else if (control >= 0xa0) lzma.reset();
      wanted = 0x80;
      lzma.chunk(await input.take(((c << 8) | d) + 1), (((control & 31) << 16) | (a << 8) | b) + 1);
    }
    write(out.slice(begin, lzma.length));
  }
  if (lzma.length !== out.length) throw damaged("data is missing");
}

// block decodes a block, and returns what the index has to say about it.
async function block(input, first, write) {
  const begin = input.count - 1;
  const size = (first + 1) * 4;
  const header = new Uint8Array(size);
  header[0] = first;
  header.set(await input.take(size - 1), 1);
  if (crc32(header.subarray(0, size - 4)) !== word(header, size - 4)) throw damaged("a block's header is wrong");
  const fields = new Fields(header.subarray(1, size - 4));
  const flags = fields.byte();
  if (flags & 0x3f || !(flags & 0x80)) throw new XZError("a block's filters are unknown, or it lacks its size");
  const packed = flags & 0x40 ? fields.number() : undefined;
  const length = fields.number();
  if (fields.number() !== 0x21 || fields.number() !== 1) throw new XZError("a block's filter is not LZMA2");
  if (fields.byte() > 40) throw damaged("a block's dictionary is wrong");
  fields.zeros();
  if (length > most) throw new XZError(`a block has ${length} bytes, and the limit is ${most}`);

  const out = new Uint8Array(length);
  const data = input.count;
  await chunks(input, out, write);
  if (packed !== undefined && input.count - data !== packed) throw damaged("a block's size is wrong");
  const unpadded = input.count - begin + 4;
  new Fields(await input.take(-(input.count - begin) & 3)).zeros();
  if (crc32(out) !== word(await input.take(4), 0)) throw damaged("the checksum is wrong");
  return { unpadded, length };
}

// index reads the index, whose first byte is read, and compares it with the blocks.
async function index(input, blocks) {
  const bytes = [0];
  const number = async () => {
    const begin = bytes.length;
    do {
      bytes.push(await input.byte());
      if (bytes.length - begin > 9) throw damaged("a number is wrong");
    } while (bytes.at(-1) >= 128);
    return new Fields(Uint8Array.from(bytes.slice(begin))).number();
  };
  if ((await number()) !== blocks.length) throw damaged("the index is wrong");
  for (const { unpadded, length } of blocks) {
    if ((await number()) !== unpadded || (await number()) !== length) throw damaged("the index is wrong");
  }
  while (bytes.length % 4) bytes.push(await input.byte());
  if (crc32(bytes) !== word(await input.take(4), 0)) throw damaged("the checksum of the index is wrong");
  return bytes.length + 4;
}

// magic is how a file begins.
export const magic = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0);

// decompress decodes a file. read() is that of a reader of a stream: it promises {done, value}. write(bytes) gets
// the data in its order. Who uses the data before the promise is fulfilled has not seen the checksums yet.
export async function decompress(read, write) {
  const input = new Input(read);
  const begin = await input.take(12);
  if (!same(begin.subarray(0, 6), magic)) throw new XZError("the file is not in the format xz");
  if (crc32(begin.subarray(6, 8)) !== word(begin, 8)) throw damaged("its header is wrong");
  if (begin[6] !== 0 || begin[7] !== 1) throw new XZError("the file has an unknown kind of checksum");
  const flags = begin.slice(6, 8);
  const blocks = [];
  for (let first = await input.byte(); first !== 0; first = await input.byte()) {
    blocks.push(await block(input, first, write));
  }
  const size = await index(input, blocks);
  const end = await input.take(12);
  if (crc32(end.subarray(4, 10)) !== word(end, 0) || word(end, 4) !== size / 4 - 1) throw damaged("its end is wrong");
  if (!same(end.subarray(8, 10), flags) || end[10] !== 0x59 || end[11] !== 0x5a) throw damaged("its end is wrong");
  if (!(await input.ended())) throw damaged("something follows its end");
}
