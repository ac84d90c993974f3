package io.palinode.voldemort.conformance;

import static io.palinode.voldemort.conformance.Expected.anything;
import static io.palinode.voldemort.conformance.Expected.clocks;
import static io.palinode.voldemort.conformance.Expected.closed;
import static io.palinode.voldemort.conformance.Expected.deleted;
import static io.palinode.voldemort.conformance.Expected.done;
import static io.palinode.voldemort.conformance.Expected.error;
import static io.palinode.voldemort.conformance.Expected.keyed;
import static io.palinode.voldemort.conformance.Expected.oneVersionWith;
import static io.palinode.voldemort.conformance.Expected.versions;

import io.palinode.voldemort.conformance.Answer.Version;
import io.palinode.voldemort.conformance.Call.Op;
import io.palinode.voldemort.conformance.Case.Asked;
import io.palinode.voldemort.conformance.Case.Scope;
import io.palinode.voldemort.conformance.Case.Step;
import io.palinode.voldemort.vp.WireBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The table: what is asked in one protocol, and what is to be answered. */
final class Cases {
  private static final String META = "metadata";
  private static final String VERSIONS = "voldsys$_metadata_version_persistence";
  private static final String REGISTRY = "voldsys$_client_registry";
  private static final String QUOTAS = "voldsys$_store_quotas";
  private static final String UNKNOWN = "no such störe";
  private static final Clock FIRST = Clock.of(1);
  private static final Clock SECOND = Clock.of(2);
  private static final Clock OTHER = Clock.of(0, 1);
  private static final int OBSOLETE = 4;
  private static final int INVALID_METADATA = 9;
  private static final int STORE_NOT_FOUND = 22;

  private final Dialect dialect;
  private final Target target;
  private final List<Case> cases = new ArrayList<>();

  private Cases(Dialect dialect, Target target) {
    this.dialect = dialect;
    this.target = target;
  }

  static List<Case> of(Dialect dialect, Target target) {
    Cases table = new Cases(dialect, target);
    table.reads();
    table.writes();
    table.values();
    table.deletes();
    table.refusals();
    if (target.routes() && dialect.knowsRoute(1)) {
      table.routed();
    }
    table.metadata();
    table.systemStores();
    table.segments();
    if (dialect instanceof VpDialect vp) {
      table.malformed(vp);
    } else {
      table.malformedPb0();
    }
    return List.copyOf(table.cases);
  }

  // ---- words of the table

  private Call call(Op op, String... keys) {
    String[] own = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      own[i] = key(keys[i]);
    }
    return new Call(op, target.store(), own);
  }

  private String key(String name) {
    return target.run() + "-" + dialect.protocol() + "-" + name;
  }

  private Call get(String key) {
    return call(Op.GET, key);
  }

  private Call put(String key, Clock clock, String value) {
    return call(Op.PUT, key).with(clock).with(value);
  }

  private Call delete(String key, Clock clock) {
    return call(Op.DELETE, key).with(clock);
  }

  private Step ask(Call call, Expected expected) {
    return Case.raw(dialect.request(call), call.op(), expected);
  }

  private Case add(String name, Step... steps) {
    Case added = Case.of(dialect, name, steps);
    cases.add(added);
    return added;
  }

  private void addOurs(String name, Step... steps) {
    cases.add(Case.of(dialect, name, steps).of(Scope.OURS));
  }

  private static Version version(Clock clock, String value) {
    return Version.of(clock, value);
  }

  // ---- the table

  private void reads() {
    add("a get of an absent key finds nothing", ask(get("absent"), versions()));
    add("a get of its versions finds none", ask(call(Op.GET_VERSION, "absent"), clocks()));
    add(
        "absent keys are left out of a get of several",
        ask(put("there", FIRST, "v"), done()),
        ask(
            call(Op.GET_ALL, "absent", "there"),
            keyed(Map.of(key("there"), List.of(version(FIRST, "v"))))));
    add("a get of no keys finds none", ask(call(Op.GET_ALL), keyed(Map.of())));
    add(
        "a key that is requested twice is returned once",
        ask(put("twice", FIRST, "v"), done()),
        ask(
            call(Op.GET_ALL, "twice", "twice"),
            keyed(Map.of(key("twice"), List.of(version(FIRST, "v"))))));
  }

  private void writes() {
    add(
        "what is put is read, with its clock and time",
        ask(put("put", FIRST, "v"), done()),
        ask(get("put"), versions(version(FIRST, "v"))),
        ask(call(Op.GET_VERSION, "put"), clocks(FIRST)));
    add(
        "the same version again is obsolete",
        ask(put("again", FIRST, "v"), done()),
        ask(put("again", FIRST.at(9), "w"), error(OBSOLETE)),
        ask(get("again"), versions(version(FIRST, "v"))));
    add(
        "an older version is obsolete",
        ask(put("older", SECOND, "v"), done()),
        ask(put("older", FIRST, "w"), error(OBSOLETE)),
        ask(get("older"), versions(version(SECOND, "v"))));
    add(
        "a newer version takes the place of the older one",
        ask(put("newer", FIRST, "v"), done()),
        ask(put("newer", SECOND, "w"), done()),
        ask(get("newer"), versions(version(SECOND, "w"))));
    add(
        "concurrent versions stay beside each other until one supersedes both",
        ask(put("siblings", FIRST, "left"), done()),
        ask(put("siblings", OTHER, "right"), done()),
        ask(get("siblings"), versions(version(FIRST, "left"), version(OTHER, "right"))),
        ask(call(Op.GET_VERSION, "siblings"), clocks(FIRST, OTHER)),
        ask(put("siblings", Clock.of(2, 1), "both"), done()),
        ask(get("siblings"), versions(version(Clock.of(2, 1), "both"))));
    add(
        "a version with an empty clock is older than any",
        ask(put("empty clock", Clock.of(), "v"), done()),
        ask(get("empty clock"), versions(version(Clock.of(), "v"))),
        ask(put("empty clock", Clock.of(), "w"), error(OBSOLETE)),
        ask(put("empty clock", FIRST, "w"), done()));
  }

  private void values() {
    add(
        "a value may be empty",
        ask(put("empty", FIRST, ""), done()),
        ask(get("empty"), versions(version(FIRST, ""))));
    Clock all = Clock.of(1_000_000);
    Call empty = new Call(Op.GET, target.store(), "");
    Call deleteEmpty = new Call(Op.DELETE, target.store(), "").with(all);
    add(
        "a key may be empty",
        ask(deleteEmpty, anything()),
        ask(new Call(Op.PUT, target.store(), "").with(FIRST).with("v"), done()),
        ask(empty, versions(version(FIRST, "v"))),
        ask(deleteEmpty, deleted(true)));
    StringBuilder every = new StringBuilder();
    for (int i = 0; i < 256; i++) {
      every.append((char) i);
    }
    add(
        "keys and values are any bytes",
        ask(put("any" + every, FIRST, every.toString()), done()),
        ask(get("any" + every), versions(version(FIRST, every.toString()))));
    String big = "0123456789abcdef".repeat(40_000);
    add(
        "a value may be larger than any buffer",
        ask(put("big", FIRST, big), done()),
        ask(get("big"), versions(version(FIRST, big))));
    for (int size = 1; size < Long.BYTES; size++) {
      Clock clock = Clock.of(1, (1L << (8 * size)) - 1);
      add(
          "counters may have %d bytes".formatted(size),
          ask(put("counter" + size, clock, "v"), done()),
          ask(get("counter" + size), versions(version(clock, "v"))));
    }
    Clock greatest = Clock.of(1, Long.MAX_VALUE);
    addOurs(
        "counters may have 8 bytes",
        ask(put("counter8", greatest, "v"), done()),
        ask(get("counter8"), versions(version(greatest, "v"))));
    long[] counters = new long[300];
    Arrays.fill(counters, 7);
    Clock wide = Clock.of(counters).at(0);
    add(
        "a clock may have many entries",
        ask(put("wide", wide, "v"), done()),
        ask(call(Op.GET_VERSION, "wide"), clocks(wide)),
        ask(delete("wide", wide), deleted(true)));
  }

  private void deletes() {
    add("a delete of an absent key finds nothing", ask(delete("gone", FIRST), deleted(false)));
    add(
        "a delete removes what is at or before its clock",
        ask(put("delete", SECOND, "v"), done()),
        ask(delete("delete", FIRST), deleted(false)),
        ask(delete("delete", SECOND), deleted(true)),
        ask(get("delete"), versions()),
        ask(delete("delete", SECOND), deleted(false)));
    add(
        "a delete leaves what is concurrent with it",
        ask(put("leave", FIRST, "left"), done()),
        ask(put("leave", OTHER, "right"), done()),
        ask(delete("leave", FIRST), deleted(true)),
        ask(get("leave"), versions(version(OTHER, "right"))));
    add(
        "what was deleted may be put again with its old clock",
        ask(put("again", SECOND, "v"), done()),
        ask(delete("again", SECOND), deleted(true)),
        ask(put("again", FIRST, "w"), done()),
        ask(get("again"), versions(version(FIRST, "w"))));
  }

  private void refusals() {
    for (Op op : Op.values()) {
      Expected refused = error(1);
      boolean closes = op == Op.GET_VERSION && dialect instanceof Pb0Dialect;
      add(
          op + " of an unknown store is refused",
          ask(
              new Call(op, UNKNOWN, "k").with(FIRST).with("v"),
              closes ? refused.or(closed()) : refused));
      // Stock nodes route on request, Palinode nodes always.
      if (dialect.knowsRoute(1) && !target.routes() && !(dialect instanceof Pb0Dialect)) {
        add(
            op + " that is to be routed is refused",
            ask(call(op, "k").with(FIRST).with("v").routed(1), refused));
      }
      Target.Elsewhere elsewhere = target.elsewhere();
      if (elsewhere != null) {
        Call call = new Call(op, elsewhere.store(), elsewhere.key()).with(FIRST).with("v");
        // A stock node answers with no versions.
        Expected stock = op == Op.GET_VERSION ? clocks() : error(INVALID_METADATA);
        add(op + " of another node's key is refused", ask(call, error(INVALID_METADATA).or(stock)));
        if (dialect.knowsRoute(2)) {
          add(
              op + " of another node's key is served when it wants no checks",
              ask(call.routed(2), anything()));
        }
      }
    }
  }

  /** By any node, of any key. The first node that accepts a version counts it in its clock. */
  private void routed() {
    Target.Elsewhere elsewhere = target.elsewhere();
    String store = elsewhere == null ? target.store() : elsewhere.store();
    String key = elsewhere == null ? key("routed") : elsewhere.key();
    Clock all = Clock.of(1_000, 1_000, 1_000);
    Step clear = ask(new Call(Op.DELETE, store, key).with(all).routed(1), anything());
    Step put = ask(new Call(Op.PUT, store, key).with(Clock.of()).with("v").routed(1), done());
    add(
        "what is put and is to be routed is found so, by any read",
        clear,
        put,
        ask(new Call(Op.GET, store, key).routed(1), oneVersionWith("v")),
        ask(
            new Call(Op.GET_VERSION, store, key).routed(1),
            new Expected(
                "one clock",
                answer -> answer instanceof Answer.Clocks one && one.found().size() == 1)),
        ask(
            new Call(Op.GET_ALL, store, key).routed(1),
            new Expected(
                "one key",
                answer -> answer instanceof Answer.Keyed one && one.found().size() == 1)));
    add(
        "a delete that is to be routed removes it",
        clear,
        put,
        ask(new Call(Op.DELETE, store, key).with(all).routed(1), deleted(true)),
        ask(new Call(Op.GET, store, key).routed(1), versions()),
        ask(new Call(Op.DELETE, store, key).with(all).routed(1), deleted(false)));
    add(
        "an unknown store is refused to a request that is to be routed, too",
        ask(new Call(Op.GET, UNKNOWN, key).routed(1), error(1)));
  }

  private void metadata() {
    add(
        "the cluster is returned",
        ask(new Call(Op.GET, META, "cluster.xml"), oneVersionWith("<cluster>")));
    add(
        "its stores are returned",
        ask(new Call(Op.GET, META, "stores.xml"), oneVersionWith("<name>" + target.store())));
    add(
        "a store is returned",
        ask(
            new Call(Op.GET, META, target.store()),
            oneVersionWith("<name>" + target.store() + "</name>")));
    add(
        "the node is returned",
        ask(new Call(Op.GET, META, "node.id"), oneVersionWith("")),
        ask(new Call(Op.GET, META, "server.state"), oneVersionWith("NORMAL_SERVER")));
    for (String streaming : List.of("slop", "partition")) {
      String key = streaming + ".streaming.enabled";
      add(key + " is returned", ask(new Call(Op.GET, META, key), oneVersionWith("true")));
    }
    add(
        "no rebalancing is returned",
        ask(new Call(Op.GET, META, "rebalancing.steal.info.key"), oneVersionWith("[]")),
        ask(new Call(Op.GET, META, "rebalancing.source.cluster.xml"), oneVersionWith("")),
        ask(new Call(Op.GET, META, "rebalancing.source.stores.xml"), oneVersionWith("")));
    add(
        "metadata has versions",
        ask(
            new Call(Op.GET_VERSION, META, "cluster.xml"),
            new Expected(
                "one clock",
                answer -> answer instanceof Answer.Clocks found && found.found().size() == 1)));
    add(
        "several are returned at once",
        ask(
            new Call(Op.GET_ALL, META, "node.id", "server.state"),
            new Expected(
                "two keys",
                answer -> answer instanceof Answer.Keyed found && found.found().size() == 2)));
    for (Op op : List.of(Op.GET, Op.GET_ALL, Op.GET_VERSION)) {
      add(
          op + " of no metadata is refused",
          ask(new Call(op, META, "nonsense"), error(STORE_NOT_FOUND)));
    }
    add(
        "metadata is not deleted",
        ask(new Call(Op.DELETE, META, "cluster.xml").with(FIRST), error(1)));
    addOurs(
        "metadata is not written by clients",
        ask(new Call(Op.PUT, META, "cluster.xml").with(FIRST).with("v"), error(16)));
  }

  private void systemStores() {
    Call versions = new Call(Op.GET, VERSIONS, "metadata-versions");
    add("versions of the cluster are returned", ask(versions, oneVersionWith("cluster.xml=")));
    add("versions of the stores are returned", ask(versions, oneVersionWith("stores.xml=")));
    add("versions of a store are returned", ask(versions, oneVersionWith(target.store() + "=")));
    Call registered = new Call(Op.GET, REGISTRY, key("client"));
    Call put = new Call(Op.PUT, REGISTRY, key("client")).with(FIRST).with("info");
    add(
        "clients register",
        ask(registered, versions()),
        ask(put, done()),
        ask(put, error(OBSOLETE)),
        ask(registered, versions(version(FIRST, "info"))),
        ask(new Call(Op.GET_VERSION, REGISTRY, key("client")), clocks(FIRST)),
        ask(
            new Call(Op.GET_ALL, REGISTRY, key("client"), key("no client")),
            keyed(Map.of(key("client"), List.of(version(FIRST, "info"))))),
        ask(new Call(Op.DELETE, REGISTRY, key("client")).with(FIRST), deleted(true)),
        ask(registered, versions()));
    add("no quotas are returned", ask(new Call(Op.GET, QUOTAS, key("quota")), versions()));
  }

  private void segments() {
    List<Case> whole =
        List.of(
            Case.of(dialect, "a put", ask(put("pieces", FIRST, "v"), done())),
            Case.of(
                dialect,
                "a get of several",
                ask(call(Op.GET_ALL, "none", "nothing", "nil"), keyed(Map.of()))),
            Case.of(dialect, "a delete", ask(delete("none", FIRST), deleted(false))),
            Case.of(dialect, "a get", ask(get("none"), versions())),
            Case.of(dialect, "a get of versions", ask(call(Op.GET_VERSION, "none"), clocks())));
    whole.forEach(one -> cases.add(one.inPieces()));
    Call put = put("together", FIRST, "v");
    addOurs(
        "several requests may come at once",
        new Step(
            new WireBytes()
                .raw(dialect.request(put))
                .raw(dialect.request(get("together")))
                .raw(dialect.request(put))
                .toBytes(),
            List.of(
                new Asked(Op.PUT, done()),
                new Asked(Op.GET, versions(version(FIRST, "v"))),
                new Asked(Op.PUT, error(OBSOLETE))),
            false));
  }

  private void malformed(VpDialect vp) {
    ends("no operation", new WireBytes().u8(99).utf(target.store()).u8(0).u8(0).i32(0));
    ends("a negative length of a key", head(vp, 1).i32(-1).u8(0));
    ends("a negative length of a value", head(vp, 2).array("k").i32(-1).u8(0));
    ends("a negative length of a clock", head(vp, 3).array("k").i16(-1));
    ends("a negative number of keys", head(vp, 4).i32(-1).u8(0));
    ends("a length beyond all memory", head(vp, 1).i32(Integer.MAX_VALUE).u8(0));
    if (vp.number() >= 2) {
      ends("no route", new WireBytes().u8(1).utf(target.store()).u8(0).u8(3).array("k").u8(0));
    }
    WireBytes large = head(vp, 1).i32(1 << 30);
    cases.add(ending("a length above the limit", large.toBytes()).of(Scope.OURS));
    cases.add(
        ending("more keys than anybody asks for", head(vp, 4).i32(1 << 30).toBytes())
            .of(Scope.OURS));
    Expected refused = error(1).or(closed());
    add(
        "a clock that is cut off is refused",
        Case.raw(put(vp, new byte[] {0, 1, 1, 0}), Op.PUT, refused));
    addOurs(
        "a clock with a negative number of entries is refused",
        Case.raw(put(vp, new byte[] {-1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0}), Op.PUT, error(1)));
    if (vp.number() == 3) {
      byte[] get = dialect.request(get("absent"));
      get[get.length - 1] = 1;
      add(
          "a transform is passed over",
          Case.raw(new WireBytes().raw(get).array("t").toBytes(), Op.GET, versions()));
    }
  }

  private WireBytes head(VpDialect vp, int operation) {
    WireBytes bytes = new WireBytes().u8(operation).utf(target.store());
    for (int i = 1; i <= Math.min(2, vp.number()); i++) {
      bytes.u8(0);
    }
    return bytes;
  }

  private byte[] put(VpDialect vp, byte[] clock) {
    WireBytes bytes = head(vp, 2).array("malformed").array(clock);
    return (vp.number() == 3 ? bytes.u8(0) : bytes).toBytes();
  }

  private void malformedPb0() {
    ends("a body that is no message", new WireBytes().array(new byte[] {-1, -1, -1, -1}));
    addOurs(
        "a negative length ends the connection",
        Case.raw(new WireBytes().i32(-1).u8(0).toBytes(), Op.GET, closed()));
    addOurs(
        "a length above the limit ends the connection",
        Case.raw(new WireBytes().i32(1 << 30).u8(0).toBytes(), Op.GET, closed()));
  }

  private void ends(String what, WireBytes bytes) {
    cases.add(ending(what, bytes.toBytes()));
  }

  private Case ending(String what, byte[] bytes) {
    return Case.of(dialect, what + " ends the connection", Case.raw(bytes, Op.GET, closed()));
  }
}
