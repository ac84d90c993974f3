package io.palinode.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories of clients, judged by the predicates of the page. */
class FromHistoryTest {
  private static final Path PAGE = Path.of("../docs/how-to/judge-a-history.md");
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern BINDING = Pattern.compile("\"binding\":\"read=([0-9]+)\"");

  private final String lock;
  private final String bank;

  FromHistoryTest() throws IOException {
    List<String> predicates =
        YAML.matcher(Files.readString(PAGE))
            .results()
            .map(block -> block.group(1).stripIndent())
            .toList();
    lock = predicates.get(0);
    bank = predicates.get(1);
  }

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aLockThatTwoClientsHeldIsFoundAsOftenAsItHappened() throws IOException {
    for (int seed = 0; seed < 10; seed++) {
      LockHistory history = new LockHistory(new Random(seed));
      assertThat(judge(lock, "history.edn", history.lines)).as("seed=%d", seed).isOne();
      assertThat(out.toString().lines()).as("seed=%d", seed).hasSize(history.overlaps);
      assertThat(out.toString()).contains("\"grade\":\"definite\"");
    }
  }

  @Test
  void aTransferThatAReadSawInPartIsFoundInThatReadAndInNoOther() throws IOException {
    for (int seed = 0; seed < 10; seed++) {
      BankHistory history = new BankHistory(new Random(seed));
      assertThat(judge(bank, "history.edn", history.lines)).as("seed=%d", seed).isOne();
      Set<Long> found = new TreeSet<>();
      BINDING
          .matcher(out.toString())
          .results()
          .forEach(each -> found.add(Long.parseLong(each.group(1))));
      assertThat(found).as("seed=%d", seed).isEqualTo(history.wrong);
      assertThat(err.toString()).contains("operations of :transfer");
    }
  }

  @Test
  void jsonLinesHaveTimesOfSeveralClocksWithinEpsilon() throws IOException {
    List<String> history =
        List.of(
            "{\"node\":0,\"invoke\":1000,\"complete\":1100,\"write\":{\"lock/a/ann\":\"held\"}}",
            "{\"node\":0,\"invoke\":5000,\"complete\":5100,\"write\":{\"lock/a/ann\":null}}",
            "{\"node\":1,\"invoke\":6000,\"complete\":6050,\"write\":{\"lock/a/bob\":\"held\"}}");
    assertThat(judge(lock, "history.jsonl", history, "--epsilon", "500us")).isZero();
    assertThat(judge(lock, "history.jsonl", history, "--epsilon", "2ms")).isOne();
    assertThat(out.toString()).contains("\"grade\":\"possible\"");
  }

  @Test
  void whatOnlyPossiblyOverlappedIsFoundWhenItIsAskedFor() throws IOException {
    List<String> history =
        List.of(
            "{:type :invoke :f :acquire :value \"a\" :process 1 :time 1000}",
            "{:type :ok :f :acquire :value \"a\" :process 1 :time 2000}",
            "{:type :invoke :f :release :value \"a\" :process 1 :time 3000}",
            "{:type :invoke :f :acquire :value \"a\" :process 2 :time 3500}",
            "{:type :ok :f :release :value \"a\" :process 1 :time 4000}",
            "{:type :ok :f :acquire :value \"a\" :process 2 :time 5000}");
    assertThat(judge(lock, "history.edn", history)).isZero();
    assertThat(judge(lock, "history.edn", history, "--held", "possibly")).isOne();
  }

  @Test
  void anOperationWithAnUnknownEndHeldNothingForSure() throws IOException {
    List<String> history =
        List.of(
            "#jepsen.history.Op{:type :invoke, :f :acquire, :value a, :process 1, :time 1000}",
            "{:type :info, :f :acquire, :value a, :process 1, :time 2000, :error :timeout}",
            "{:type :invoke, :f :acquire, :value a, :process 2, :time 3500}",
            "{:type :ok, :f :acquire, :value a, :process 2, :time 5000}",
            "{:type :info, :f :kill, :value nil, :process :nemesis, :time 6000}");
    List<String> keywords =
        history.stream().map(line -> line.replace(":value a", ":value :a")).toList();
    assertThat(judge(lock, "history.edn", keywords)).isZero();
    assertThat(judge(lock, "history.edn", keywords, "--held", "possibly")).isOne();
    assertThat(err.toString()).contains("passed over: 1 operation of a process without a number");
    assertThat(err.toString())
        .contains("so each violation of it may not have happened, even a definite one");
  }

  @Test
  void aBadHistoryIsRefusedWithItsFileAndPlace() throws IOException {
    assertRefused("h.jsonl", "{\"invoke\":1", "h.jsonl, line 1: ");
    assertRefused("h.jsonl", "\n[]", "h.jsonl, line 2: a line must be a JSON object");
    assertRefused("h.jsonl", "{\"write\":{}}", "line 1: field 'invoke' is missing");
    assertRefused("h.jsonl", "{\"invoke\":1,\"writes\":{}}", "unknown field 'writes'");
    assertRefused("h.jsonl", "{\"invoke\":-1}", "line 1: micros must be in");
    assertRefused("h.jsonl", "{\"invoke\":1.5}", "a time must be whole microseconds");
    assertRefused("h.jsonl", "{\"invoke\":\"-30s\"}", "a time must be whole microseconds");
    assertRefused("h.jsonl", "{\"invoke\":2,\"complete\":1}", "must not complete before");
    assertRefused("h.jsonl", "{\"invoke\":1,\"node\":-1}", "'node' must be in [0, 4095]: -1");
    assertRefused("h.jsonl", "{\"invoke\":1,\"write\":{\"x\":[1]}}", "the value of 'x'");
    assertRefused("h.edn", "{:type :invoke", "h.edn, line 2, after operation 0: not EDN: ");
    assertRefused("h.edn", "[3]", "h.edn, operation 1: an operation must be a map");
    assertRefused("h.jsonl", "\n{\"invoke\":1,\"invoke\":2}", "line 2: Duplicate field 'invoke'");
    assertRefused("h.jsonl", "{\"invoke\":1,\"write\":{\"x\":1,\"x\":2}}", "Duplicate field 'x'");
    assertRefused("h.jsonl", "{\"invoke\":1,\"node\":1.5}", "'node' must be in [0, 4095]: 1.5");
    assertRefused("h.jsonl", "[".repeat(100_000), "h.jsonl, line 1: ");
    assertRefused("h.edn", "\n#uuid \"x\"", "h.edn, line 2, after operation 0: not EDN: ");
    assertRefused("h.edn", "\n" + "[".repeat(100_000), "line 2, after operation 0: not EDN: coll");
    String open = "{:type :invoke :f :read :process 1 :time 5}";
    assertRefused("h.edn", open + open, "operation 2: process 1 invokes an operation before");
    assertRefused("h.edn", "{:type :ok :process 1 :time 5}", "that it did not invoke");
    assertRefused(
        "h.edn", open + "{:type :ok :process 1 :time 4}", "before that of its invocation");
    assertRefused("h.edn", "{:type :invoke :process 1}", "operation 1: :time must be nanoseconds");
    assertRefused("h.edn", "{:type :begin :process 1 :time 1}", ":type must be");
  }

  @Test
  void aHistoryOfListsIsRefusedWithItsPlaceAndTheWayOut() throws IOException {
    String ok = "{:type :ok :f :txn :value %s :process 1 :time 6}";
    String invoked = "[{:type :invoke :f :txn :value [] :process 1 :time 5}\n\n";
    assertRefused(
        "h.edn",
        invoked + ok.formatted("[[:w 4 1] [:append 5 1]]") + "]",
        "h.edn, line 3, operation 2: an operation must not append to a list, because a key has one"
            + " value: [:append 5 1]; write the history as JSON lines, with a key for each"
            + " element of a list");
    assertRefused(
        "h.edn",
        invoked + ok.formatted("[[:r 5 [1 2]]]") + "]",
        "line 3, operation 2: a step of :txn must be [:w KEY VALUE] or [:r KEY VALUE] with single"
            + " values: [:r 5[1 2]]; write the history as JSON lines");
    assertRefused(
        "h.edn",
        invoked + ok.formatted("nil") + "]",
        "line 3, operation 2: :txn must have a vector of steps, such as [[:w k 3] [:r l 4]]: nil");
    assertRefused(
        "h.edn",
        invoked + ok.formatted("[[]]") + "]",
        "line 3, operation 2: a step of :txn must be");
    assertRefused(
        "h.edn",
        "{:type :invoke :f :append :value [5 1] :process 1 :time 5}",
        "line 1, operation 1: an operation must not append to a list");
  }

  @Test
  void anOperationThatIsKnownWithAValueThatIsNotIsRefused() throws IOException {
    String invoked = "\n{:type :invoke :f :%s :value %s :process 1 :time 5}";
    for (String value : List.of("[5]", "[]", "nil", "[1 2 3]", "[1 [2]]", "[1 #{2}]")) {
      assertRefused(
          "h.edn",
          invoked.formatted("cas", value),
          "line 2, operation 1: :cas must have [OLD NEW] or [KEY [OLD NEW]] with single values: ");
    }
    for (String value : List.of("[5]", "[[1] 2]", "{:x 1}", "[1 [2]]")) {
      assertRefused(
          "h.edn",
          invoked.formatted("write", value),
          "line 2, operation 1: :write must have VALUE or [KEY VALUE] with single values: ");
    }
    assertRefused(
        "h.edn",
        invoked.formatted("release", "{:lock \"a\"}"),
        "line 2, operation 1: :release must have one single value or nil: {:lock\"a\"}; write the"
            + " history as JSON lines");
    assertRefused("h.edn", invoked.formatted("acquire", "[a]"), ":acquire must have one single");
  }

  @Test
  void aReadThatFoundAListIsOfNoRegister() throws IOException {
    String register =
        predicate(
            "forEach: {read: \"{r}\"}", "- all: [{var: \"read/{r}/register/1\", equals: \"2\"}]");
    List<String> list =
        List.of(
            "{:type :invoke :f :read :value nil :process 1 :time 5}",
            "{:type :ok :f :read :value [1 2] :process 1 :time 6}");
    List<String> pair =
        List.of(
            "{:type :invoke :f :read :value [1 nil] :process 1 :time 5}",
            "{:type :ok :f :read :value [1 2] :process 1 :time 6}");
    assertThat(trace(register, "h.edn", pair)).as(err.toString()).isZero();
    assertThat(trace(register, "h.edn", list)).isOne();
    assertThat(err.toString())
        .contains("passed over: 1 operation of :read that found a collection");
  }

  @Test
  void aLockThatIsAcquiredAgainIsHeldMeanwhile() throws IOException {
    String line = "{\"invoke\":%d,\"complete\":%d,\"write\":{\"lock/a/%s\":%s}}";
    List<String> history =
        List.of(
            line.formatted(0, 10, "ann", "\"held\""),
            line.formatted(400, 600, "ann", "\"held\""),
            line.formatted(440, 450, "bob", "\"held\""),
            line.formatted(550, 560, "bob", "null"));
    assertThat(judge(lock, "history.jsonl", history)).isOne();
    assertThat(out.toString()).hasLineCount(1).contains("\"grade\":\"definite\"");
  }

  @Test
  void aValueThatIsWrittenAgainLastsUntilTheEndOfTheHistory() throws IOException {
    String paid = predicate("", "- {all: [{var: x, equals: paid}], for: 30s}");
    String open = predicate("", "- {all: [{var: x, notEquals: paid}], for: 30s}");
    String line = "{\"node\":%d,\"invoke\":%d,\"complete\":%d,\"write\":{\"%s\":\"%s\"}}";
    for (int node = 0; node < 2; node++) {
      List<String> history =
          new ArrayList<>(
              List.of(
                  line.formatted(0, 0, 10, "x", "paid"),
                  line.formatted(node, 20_000_000, 20_100_000, "x", "paid"),
                  line.formatted(0, 29_000_000, 29_000_001, "y", "1")));
      assertThat(judge(paid, "history.jsonl", history)).as("node=%d", node).isZero();
      assertThat(judge(paid, "history.jsonl", history, "--held", "possibly")).isZero();
      history.set(2, line.formatted(0, 40_000_000, 40_000_001, "y", "1"));
      assertThat(judge(paid, "history.jsonl", history)).as("node=%d", node).isOne();
      assertThat(judge(paid, "history.jsonl", history, "--held", "possibly")).isOne();
      history.set(2, line.formatted(node, 40_000_000, 40_000_001, "x", "sent"));
      assertThat(judge(paid, "history.jsonl", history)).as("node=%d", node).isOne();
      history.set(1, line.formatted(node, 20_000_000, 20_100_000, "x", "sent"));
      assertThat(judge(paid, "history.jsonl", history)).as("node=%d", node).isZero();
      history.set(0, line.formatted(0, 0, 10, "x", "new"));
      assertThat(judge(open, "history.jsonl", history)).as("node=%d", node).isOne();
    }
  }

  /** 100 and 100.0 are one value, also if two clocks wrote them. */
  @Test
  void anEqualNumberInAnotherFormContinuesTheTimeOfASum() throws IOException {
    String sum = predicate("", "- {sum: {of: [x], above: 50}, for: 30s}");
    String line = "{\"node\":%d,\"invoke\":%d,\"complete\":%d,\"write\":{\"%s\":\"%s\"}}";
    for (int node = 0; node < 2; node++) {
      for (String held : List.of("surely", "possibly")) {
        for (String again : List.of("100.0", " 1e2 ")) {
          List<String> history =
              List.of(
                  line.formatted(0, 0, 10, "x", "100"),
                  line.formatted(node, 20_000_000, 20_100_000, "x", again),
                  line.formatted(0, 40_000_000, 40_000_001, "x", "7"));
          assertThat(judge(sum, "history.jsonl", history, "--held", held))
              .as("%s node=%d", again, node)
              .isOne();
        }
        List<String> changed =
            List.of(
                line.formatted(0, 0, 10, "x", "100"),
                line.formatted(node, 20_000_000, 20_100_000, "x", "100.01"),
                line.formatted(0, 40_000_000, 40_000_001, "x", "7"));
        assertThat(judge(sum, "history.jsonl", changed, "--held", held)).isZero();
      }
    }
  }

  /** The parcel may have been sent in time, and the order may have been paid later. */
  @Test
  void anAnswerIsNotLateWhenItsTimeIsUnknown() throws IOException {
    String within =
        predicate(
            "",
            "- within: {time: 5s, after: {var: order, equals: paid},"
                + " missing: {var: parcel, equals: sent}}");
    List<String> history =
        List.of(
            "{\"invoke\":0,\"complete\":10000,\"write\":{\"order\":\"paid\"}}",
            "{\"invoke\":4900000,\"complete\":5300000,\"write\":{\"parcel\":\"sent\"}}");
    for (String held : List.of("surely", "possibly")) {
      assertThat(trace(within, "h.jsonl", history, "--held", held)).isEqualTo(2);
      assertThat(err.toString())
          .contains(
              "p.yaml: within cannot be judged, because a history does not state when a write took"
                  + " effect; apply the predicate to a cluster");
    }
  }

  private static String predicate(String field, String clause) {
    return """
    apiVersion: palinode.io/v1
    kind: Predicate
    metadata: {name: p}
    spec:
      %s
      violation:
        %s
    """
        .formatted(field, clause);
  }

  @Test
  void whatAHistoryDoesNotStateIsRefusedWithTheWayOut() throws IOException {
    String predicate = lock.substring(0, lock.indexOf("  violation:"));
    List<String> history = List.of("{\"invoke\":1,\"complete\":2,\"write\":{\"x\":\"1\"}}");
    String unseen =
        predicate + "  violation:\n    - all: [{var: \"x_{lock}\", lostUpdate: true}]\n";
    assertThat(trace(unseen, "h.jsonl", history)).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "p.yaml: lostUpdate cannot be judged, because a history does not state what a session"
                + " had seen; leave the clause out, or apply the predicate to a cluster");
  }

  @Test
  void aHistoryWithoutTheKeysOfThePredicateIsReported() throws IOException {
    List<String> history = List.of("{\"invoke\":1,\"complete\":2,\"write\":{\"x\":\"1\"}}");
    assertThat(trace(lock, "h.jsonl", history)).isOne();
    assertThat(err.toString()).contains("1 operation, 0 intervals in ");
  }

  private void assertRefused(String file, String text, String reason) throws IOException {
    assertThat(trace(lock, file, List.of(text))).as(text).isEqualTo(2);
    assertThat(err.toString()).contains(reason);
    assertThat(folder.resolve("trace.jsonl")).doesNotExist();
  }

  private int judge(String predicate, String file, List<String> history, String... options)
      throws IOException {
    assertThat(trace(predicate, file, history, options)).as(err.toString()).isZero();
    String made = err.toString();
    List<String> words = new ArrayList<>(List.of("detect", "--predicate", "p.yaml", "trace.jsonl"));
    if (List.of(options).contains("--epsilon")) {
      words.addAll(List.of(options));
    }
    int status = run(words);
    err.write(made);
    return status;
  }

  private int trace(String predicate, String file, List<String> history, String... options)
      throws IOException {
    Files.writeString(folder.resolve("p.yaml"), predicate);
    Files.write(folder.resolve(file), history);
    List<String> words =
        new ArrayList<>(
            List.of("trace", "from-history", "--predicate", "p.yaml", file, "-o", "trace.jsonl"));
    words.addAll(List.of(options));
    return run(words);
  }

  private int run(List<String> words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] args =
        words.stream()
            .map(word -> word.matches("[a-z]+[.][a-z]+") ? folder.resolve(word).toString() : word)
            .toArray(String[]::new);
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  /** Clients take a lock one after another; sometimes one takes it while another one has it. */
  private static final class LockHistory {
    private final List<String> lines = new ArrayList<>();
    private int overlaps;

    LockHistory(Random random) {
      long time = 0;
      for (int turn = 0; turn < 60; turn++) {
        int client = random.nextInt(4);
        boolean overlap = turn == 0 || random.nextInt(12) == 0;
        time = operation("acquire", client, time, random);
        if (overlap) {
          overlaps++;
          time = operation("acquire", client + 4, time, random);
          time = operation("release", client + 4, time, random);
        }
        time = operation("release", client, time, random);
      }
    }

    private long operation(String function, int client, long time, Random random) {
      long invoked = time + 1 + random.nextInt(5_000);
      long completed = invoked + 1 + random.nextInt(5_000);
      lines.add(event("invoke", function, client, "\"a\"", invoked));
      lines.add(event("ok", function, client, "\"a\"", completed));
      return completed;
    }
  }

  /** Transfers in two steps, and reads of all accounts; some see a transfer in part. */
  private static final class BankHistory {
    private static final int ACCOUNTS = 5;

    private final int[] balances = new int[ACCOUNTS];
    private final List<String> lines = new ArrayList<>();

    /** The place in the history of each read with a wrong total. */
    private final Set<Long> wrong = new TreeSet<>();

    private long time;

    BankHistory(Random random) {
      Arrays.fill(balances, 100);
      read();
      for (int transfer = 0; transfer < 50; transfer++) {
        int from = random.nextInt(ACCOUNTS);
        int amount = 1 + random.nextInt(20);
        lines.add(event("invoke", "transfer", 9, "{:amount " + amount + "}", ++time));
        balances[from] -= amount;
        if (transfer == 0 || random.nextInt(5) == 0) {
          wrong.add((long) lines.size() + 1);
          read();
        }
        balances[(from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS] += amount;
        lines.add(event("ok", "transfer", 9, "{:amount " + amount + "}", ++time));
        read();
      }
    }

    private void read() {
      StringBuilder found = new StringBuilder("{");
      for (int account = 0; account < ACCOUNTS; account++) {
        found.append(account).append(' ').append(balances[account]).append(", ");
      }
      lines.add(event("invoke", "read", 1, "nil", ++time));
      lines.add(event("ok", "read", 1, found.append('}').toString(), ++time));
    }
  }

  private static String event(String type, String function, int process, String value, long nanos) {
    return "{:type :%s, :f :%s, :value %s, :process %d, :time %d}"
        .formatted(type, function, value, process, nanos);
  }
}
