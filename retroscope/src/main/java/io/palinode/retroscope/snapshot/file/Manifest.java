package io.palinode.retroscope.snapshot.file;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a cluster has of a snapshot: the same file at every node, written when the snapshot is done
 * everywhere. From then on it is there; without it a node's part is nothing.
 *
 * <pre>
 * | "PLNM" | version u8 = 1 | number i64 | HLC i64 | kind u8 | id text |
 * | base id text, empty: none | base number i64, 0: none               |
 * | members i32, per member:                                           |
 * |   node i32 | keys i64 | bytes i64 | CRC-32C of its part's file i32  |
 * |   failure text, empty: the node has its part                       |
 * | CRC-32C i32 |
 * </pre>
 */
public record Manifest(Ref id, long hlc, Kind kind, Ref base, List<Member> members) {
  private static final String MAGIC = "PLNM";

  public Manifest {
    members = List.copyOf(members);
  }

  /**
   * One node.
   *
   * @param bytes written for it
   * @param checksum of the file of its part, which holds those of its runs
   * @param failure why it has no part; empty when it has one
   */
  public record Member(int node, long keys, long bytes, int checksum, String failure) {}

  /** Whether every node has its part. */
  public boolean isComplete() {
    return members.stream().allMatch(member -> member.failure().isEmpty());
  }

  /** Whether {@code node} has a part. */
  public boolean isHeldBy(int node) {
    return members.stream().anyMatch(m -> m.node() == node && m.failure().isEmpty());
  }

  public byte[] encode() {
    return SealedFile.encode(MAGIC, this::writeTo);
  }

  private void writeTo(DataOutputStream out) throws IOException {
    out.writeLong(id.number());
    out.writeLong(hlc);
    out.writeByte(kind.code());
    SealedFile.writeText(out, id.id());
    SealedFile.writeText(out, base.id());
    out.writeLong(base.number());
    out.writeInt(members.size());
    for (Member member : members) {
      out.writeInt(member.node());
      out.writeLong(member.keys());
      out.writeLong(member.bytes());
      out.writeInt(member.checksum());
      SealedFile.writeText(out, member.failure());
    }
  }

  public static Manifest decode(String what, byte[] bytes) {
    return SealedFile.decode(what, MAGIC, bytes, Manifest::readFrom);
  }

  private static Manifest readFrom(DataInputStream in) throws IOException {
    long number = in.readLong();
    long hlc = in.readLong();
    Kind kind = Kind.of(in.readUnsignedByte());
    Ref id = new Ref(SealedFile.readText(in), number);
    Ref base = new Ref(SealedFile.readText(in), in.readLong());
    List<Member> members = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      members.add(
          new Member(
              in.readInt(), in.readLong(), in.readLong(), in.readInt(), SealedFile.readText(in)));
    }
    return new Manifest(id, hlc, kind, base, members);
  }
}
