package io.palinode.retroscope.segment;

import io.palinode.retroscope.segment.KeyDictionary.View;
import io.palinode.retroscope.segment.Segment.Part;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One number a key over several generations and over segments that have no numbers yet: that of the
 * earliest generation that knows the key. So one generation, the usual case, needs no look-up.
 *
 * <p>Nothing may be interned meanwhile.
 */
public final class KeyNumbers {
  private static final int OTHERS_CHUNK_BYTES = 1 << 16;

  private final List<View> generations = new ArrayList<>();
  private final List<Integer> bases = new ArrayList<>();
  private final KeyDictionary others =
      new KeyDictionary(ByteBuffer::allocate, OTHERS_CHUNK_BYTES, 0);
  private final int othersBase;
  private final int[][] knownPlusOne;
  private int generation = -1;

  public KeyNumbers(List<Part> parts) {
    int base = 0;
    View last = null;
    for (Part part : parts) {
      View keys = part.keys();
      if (keys != null && (last == null || keys.dictionary() != last.dictionary())) {
        generations.add(keys);
        bases.add(base);
        base += keys.size();
        last = keys;
      }
    }
    othersBase = base;
    knownPlusOne = new int[generations.size()][];
  }

  /** Before the entries of a part are asked for; parts come in any order. */
  public void enter(Part part) {
    View keys = part.keys();
    generation = -1;
    for (int g = 0; keys != null && g < generations.size(); g++) {
      if (generations.get(g).dictionary() == keys.dictionary()) {
        generation = g;
      }
    }
  }

  /** Whether entries have no numbers yet; then they are to be asked for in batches. */
  public boolean asksForBatches() {
    return generation < 0;
  }

  public int of(Cursor entry) {
    return generation == 0 ? entry.keyNumber() : ofLaterGeneration(entry.keyNumber());
  }

  /** Gives each key of {@code batch}, which lies in {@code from}, its number in {@code numbers}. */
  public void of(ByteBuffer from, KeyDictionary.Batch batch, int[] numbers) {
    Arrays.fill(numbers, -1);
    for (int g = 0; g < generations.size(); g++) {
      View keys = generations.get(g);
      keys.dictionary().find(from, batch);
      for (int i = 0; i < batch.size(); i++) {
        if (numbers[i] < 0 && batch.number(i) >= 0 && batch.number(i) < keys.size()) {
          numbers[i] = bases.get(g) + batch.number(i);
        }
      }
    }
    for (int i = 0; i < batch.size(); i++) {
      if (numbers[i] < 0) {
        numbers[i] = othersBase + others.intern(from, batch.at(i), batch.length(i));
      }
    }
  }

  private int ofLaterGeneration(int key) {
    int[] known = knownPlusOne[generation];
    View keys = generations.get(generation);
    if (known == null) {
      known = new int[keys.size()];
      knownPlusOne[generation] = known;
    }
    if (known[key] == 0) {
      int earlier = find(generation, keys.chunk(key), keys.at(key), keys.length(key));
      known[key] = 1 + (earlier >= 0 ? earlier : bases.get(generation) + key);
    }
    return known[key] - 1;
  }

  /** The number by the first {@code count} generations, or -1. */
  private int find(int count, ByteBuffer from, int at, int length) {
    for (int g = 0; g < count; g++) {
      View keys = generations.get(g);
      int number = keys.dictionary().find(from, at, length);
      if (number >= 0 && number < keys.size()) {
        return bases.get(g) + number;
      }
    }
    return -1;
  }
}
