package io.palinode.retroscope.snapshot.file;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One node's part of a snapshot: the header of its runs, in a separate {@link SealedFile}.
 *
 * <pre>
 * | "PLNP" | version u8 = 1 | number i64 | HLC i64 | kind u8 | node i32 | id text |
 * | base id text, empty: none | base number i64, 0: none                          |
 * | stores i32, per store: name text                                              |
 * | keys i64 | changed i64                                                        |
 * | runs i32, per run: name text, entries i64, bytes i64, CRC-32C of its index i32 |
 * | CRC-32C i32 |
 * </pre>
 *
 * @param id with the number of the taking that made it
 * @param base what its runs are laid over
 * @param keys that are there at {@code hlc}, those of the base included
 * @param changed keys that were looked at to make it
 * @param runs the older first; in a later one stands what differs from the earlier ones
 */
public record Part(
    Ref id,
    long hlc,
    Kind kind,
    int node,
    Ref base,
    List<String> stores,
    long keys,
    long changed,
    List<Run> runs) {
  private static final String MAGIC = "PLNP";

  public Part {
    stores = List.copyOf(stores);
    runs = List.copyOf(runs);
  }

  public byte[] encode() {
    return SealedFile.encode(MAGIC, this::writeTo);
  }

  private void writeTo(DataOutputStream out) throws IOException {
    out.writeLong(id.number());
    out.writeLong(hlc);
    out.writeByte(kind.code());
    out.writeInt(node);
    SealedFile.writeText(out, id.id());
    SealedFile.writeText(out, base.id());
    out.writeLong(base.number());
    out.writeInt(stores.size());
    for (String store : stores) {
      SealedFile.writeText(out, store);
    }
    out.writeLong(keys);
    out.writeLong(changed);
    out.writeInt(runs.size());
    for (Run run : runs) {
      SealedFile.writeText(out, run.name());
      out.writeLong(run.entries());
      out.writeLong(run.bytes());
      out.writeInt(run.checksum());
    }
  }

  public static Part decode(String what, byte[] bytes) {
    return SealedFile.decode(what, MAGIC, bytes, Part::readFrom);
  }

  private static Part readFrom(DataInputStream in) throws IOException {
    long number = in.readLong();
    long hlc = in.readLong();
    Kind kind = Kind.of(in.readUnsignedByte());
    int node = in.readInt();
    Ref id = new Ref(SealedFile.readText(in), number);
    Ref base = new Ref(SealedFile.readText(in), in.readLong());
    List<String> stores = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      stores.add(SealedFile.readText(in));
    }
    long keys = in.readLong();
    long changed = in.readLong();
    List<Run> runs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      runs.add(new Run(SealedFile.readText(in), in.readLong(), in.readLong(), in.readInt()));
    }
    return new Part(id, hlc, kind, node, base, stores, keys, changed, runs);
  }
}
