package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The command as a user runs it: files in, lines and an exit status out. */
class DetectCommandTest extends DetectFixture {
  @Test
  void concurrentIntervalsAreAViolation() {
    assertThat(detect(line(0, 0, 1, "100/0", "200/0"), line(1, 1, 7, "0/150.3", "0/250"))).isOne();
    assertThat(out)
        .hasToString(
            """
            {"clause":0,"witnesses":[{"term":0,"node":0,"seq":1},{"term":1,"node":1,"seq":7}],\
            "grade":"possible","first":"100","violate":"150.3",\
            "meaning":"possible: term 1 on node 1 began at 1970-01-01T00:00:00.000150Z.3, 0.05 ms\
             before term 0 on node 0 ended; clocks differ by at most 10ms and no recorded clock\
             orders the two, so both may have held at the same time"}
            """);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void orderedIntervalsAreNone() {
    assertThat(detect(line(0, 0, 1, "100/0", "200/0"), line(1, 1, 1, "200/10200", "200/10300")))
        .isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void eachOperationThatANodeJudgedIsAViolation() throws IOException {
    Files.writeString(predicate, OPERATIONS);
    String[] lines = new String[4];
    for (int clause = 0; clause < lines.length; clause++) {
      lines[clause] =
          line(0, 0, clause, "10" + clause + "/0", "200/0")
              .replace("\"clause\":0", "\"clause\":" + clause);
    }
    lines[0] = valued("x", "any text", lines[0]);
    assertThat(detect(lines)).as(err.toString()).isOne();
    assertThat(out.toString().lines())
        .as("y alone is no violation")
        .hasSize(3)
        .allMatch(line -> line.contains("\"grade\":\"definite\""));
    assertThat(out.toString())
        .contains(
            "\"violate\":\"100\",\"meaning\":\"definite: at 1970-01-01T00:00:00.000100Z, node 0"
                + " accepted a put that superseded a version which its client had not seen, as the"
                + " node judged\"")
        .contains("returned an older version than its client had written or read, as the client")
        .contains("returned an older version than its client had read, as the client judged\"");
    lines[0] = valued("w", "1", lines[1]);
    assertThat(detect(lines)).isEqualTo(2);
    assertThat(err.toString()).contains("'values' must hold the variable 'x' of term 0: w");
  }

  @Test
  void anEmptyTraceIsReported() {
    assertThat(detect()).isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .startsWith("palinode: the trace is empty, so no interval was judged: ")
        .contains("t.jsonl")
        .hasLineCount(1);
    assertThat(run("\n \n", List.of("-"))).isZero();
    assertThat(err.toString()).contains("judged: -");
  }

  @Test
  void withoutAnEndAnIntervalIsUnbounded() {
    String open = line(0, 0, 1, "100/0", null);
    String far = line(1, 1, 1, "100/90000000", "100/90000001");
    assertThat(detect(open, far)).isOne();
    assertThat(out.toString()).contains("definite");
    assertThat(detect(open.replace("\"end\":null,", ""), far)).isOne();
    assertThat(out.toString()).contains("definite");
  }

  @Test
  void epsilonAndUncertaintyDecideWhatIsTooClose() throws IOException {
    String[] trace = {line(0, 0, 1, "100/0", "200/0"), line(1, 1, 1, "200/5200", "200/6000")};
    assertThat(detect(trace)).as("10ms unless said otherwise").isOne();
    assertThat(detectWith(List.of("--epsilon", "5ms"), trace)).isZero();
    assertThat(detectWith(List.of("--epsilon", "inf"), trace)).isZero();
    assertThat(detectWith(List.of("--uncertainty", "causal"), trace)).isZero();
    Files.writeString(predicate, MUTEX.replace("spec:\n", "spec:\n  epsilon: 5ms\n"));
    assertThat(detect(trace)).as("the predicate's own").isZero();
    assertThat(detectWith(List.of("--epsilon", "6ms"), trace)).as("the option wins").isOne();
    assertThat(out.toString().lines()).allMatch(line -> line.contains("uncertain"));
    assertThat(err.toString()).contains("palinode: --epsilon 6ms overrides 'epsilon: 5ms' of ");
    Files.writeString(predicate, MUTEX.replace("spec:\n", "spec:\n  uncertainty: causal\n"));
    assertThat(detect(trace)).as("the predicate's own").isZero();
  }

  /** A recorder that has received nothing from a node may write 0. */
  @Test
  void intervalsThatAreFurtherApartThanEpsilonAreOrderedWhateverWasReceived() {
    String[] trace = {line(0, 0, 1, "100/0", "200/0"), line(1, 1, 1, "0/10200", "0/10300")};
    assertThat(detect(trace)).isZero();
    assertThat(detectWith(List.of("--epsilon", "11ms"), trace)).isOne();
    assertThat(detectWith(List.of("--epsilon", "inf"), trace)).isOne();
  }

  @Test
  void aRunWhoseReaderIsGoneStops() {
    String[] trace = closedOnes(5_000).toArray(String[]::new);
    trace = Arrays.copyOf(trace, trace.length + 1);
    trace[trace.length - 1] = line(1, 1, 1, "0/0", null);
    outFails = true;
    assertThat(detect(trace)).isEqualTo(130);
    assertThat(err.toString()).contains("what was printed is right, the rest was not judged");
  }

  @Test
  void reportsAreTheFirstOrEveryIntervalOrEveryViolation() {
    List<String> trace = new ArrayList<>();
    for (int seq = 1; seq <= 3; seq++) {
      trace.add(line(0, 0, seq, seq * 100 + "/0", seq * 100 + 50 + "/0"));
      trace.add(line(1, 1, seq, "0/" + (seq * 100 + 20), "0/" + (seq * 100 + 70)));
    }
    String[] lines = trace.toArray(String[]::new);
    assertThat(detectWith(List.of("--report", "first"), lines)).isOne();
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(out.toString()).contains("\"violate\":\"120\"");
    assertThat(detectWith(List.of("--report", "cover"), lines)).isOne();
    String cover = out.toString();
    assertThat(cover.lines().count()).isBetween(3L, 6L);
    assertThat(cover.split("\"seq\":3")).hasSizeGreaterThan(2);
    assertThat(detect(lines)).isOne();
    assertThat(out).as("cover unless said otherwise").hasToString(cover);
    assertThat(detectWith(List.of("--report", "all"), lines)).isOne();
    assertThat(out.toString().lines()).hasSize(9).doesNotHaveDuplicates();
  }

  @Test
  void aClauseOfOneTermIsViolatedByEachOfItsIntervals() {
    assertThat(detect(line(0, 0, 1, "100/0", "200/0").replace("\"clause\":0", "\"clause\":1")))
        .isOne();
    assertThat(out.toString()).contains("\"clause\":1").contains("definite");
  }

  @Test
  void instancesAreJudgedApart() throws IOException {
    Files.writeString(predicate, INSTANCES);
    String a = bound("a=3,b=5", line(0, 0, 1, "100/0", "200/0"));
    String b = bound("a=3,b=6", line(1, 1, 1, "0/150", "0/250"));
    assertThat(detect(a, b)).isZero();
    String same = b.replace("b=6", "b=5");
    assertThat(detect(a, same)).isOne();
    assertThat(out.toString()).startsWith("{\"binding\":\"a=3,b=5\",");
  }

  /** Runs of several versions, and what the last time of the trace shows of an open one. */
  @Test
  void aClauseWithATimeIsViolatedByRunsThatOverlapForIt() throws IOException {
    String spec = "spec:\n  epsilon: 10us\n";
    Files.writeString(
        predicate,
        MUTEX
            .replace("spec:\n", spec)
            .replaceFirst("violation:\n", "violation:\n    - for: 1ms\n")
            .replaceFirst("    - all:", "      all:"));
    String first = version("k@1", "k@2", line(0, 0, 1, "1000/0", "1600/0"));
    String second = version("k@2", "k@3", line(0, 0, 2, "1601/0", "2500/0"));
    String other = line(1, 1, 7, "0/1100", null);
    assertThat(detect(first, second, other)).isOne();
    assertThat(out.toString())
        .contains(
            """
            "witnesses":[{"term":0,"node":0,"seq":1},{"term":1,"node":1,"seq":7}],\
            "grade":"definite","first":"1000","violate":"2100","meaning":"definite: term 1 on node 1 \
            had held for 1ms at 1970-01-01T00:00:00.002100Z, 0.4 ms before term 0 on node 0 ended""");
    assertThat(detect(first, second.replace("k@2", "k@9"), other)).as("a break").isZero();
    String late = line(1, 1, 7, "0/1700", null);
    assertThat(detect(first, second, late)).as("not known to have held for 1 ms").isZero();
    assertThat(detectWith(List.of("--replicas", "first"), first, second, other)).isEqualTo(2);
    assertThat(err.toString()).contains("a clause with 'for' needs --replicas any");
  }

  private static String version(String version, String endedBy, String line) {
    return line.replaceFirst(
        "\\{", "{\"version\":\"%s\",\"endedBy\":\"%s\",".formatted(version, endedBy));
  }

  @Test
  void twoMembersOfOneInstanceAreAViolation() throws IOException {
    Files.writeString(predicate, ONE_HOLDER);
    String ann = member("client=ann", bound("l=7", line(0, 0, 1, "100/0", "200/0")));
    String bob = member("client=bob", bound("l=7", line(1, 0, 7, "0/150.3", "0/250")));
    assertThat(detect(ann, bob)).isOne();
    assertThat(out.toString())
        .contains(
            """
            "witnesses":[{"term":0,"node":0,"seq":1,"member":"client=ann"},\
            {"term":0,"node":1,"seq":7,"member":"client=bob"}]""")
        .contains("possible: term 0 (client=bob) on node 1 began at ")
        .contains(" before term 0 (client=ann) on node 0 ended;");
    assertThat(detect(ann, bob.replace("bob", "ann"))).as("one member alone").isZero();
    assertThat(detect(ann, bob.replace("l=7", "l=8"))).as("two instances").isZero();
  }

  @Test
  void aMemberThatTheClauseDoesNotHaveIsRefused() throws IOException {
    Files.writeString(predicate, ONE_HOLDER);
    String line = bound("l=7", line(0, 0, 1, "100/0", "200/0"));
    assertThat(detect(line)).isEqualTo(2);
    assertThat(err.toString()).contains("'member' is missing, because the clause has distinct");
    assertThat(detect(member("c=ann", line))).isEqualTo(2);
    assertThat(err.toString())
        .contains("'member' must give the capture 'client' a text, and no other: member=c=ann");
    String valued = valued("lock_7_bob", "held", line);
    assertThat(detect(member("client=ann", valued))).isEqualTo(2);
    assertThat(err.toString())
        .contains("'values' must be of the member in 'member', not of 'client=bob'");
    Files.writeString(predicate, INSTANCES);
    assertThat(detect(bound("a=3,b=5", member("client=ann", line(0, 0, 1, "100/0", "200/0")))))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains("'member' must be absent, because the clause has no distinct: member=client=ann");
  }

  private static final String ONE_HOLDER =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        forEach: {lock: "{l}"}
        violation:
          - atLeast: {count: 2, of: {var: "lock_{l}_{client}", equals: held}, distinct: client}
      """;

  private static String member(String member, String line) {
    return "{\"member\":\"" + member + "\"," + line.substring(1);
  }

  @Test
  void theOrderOfCapturesInABindingChangesNothing() throws IOException {
    Files.writeString(predicate, INSTANCES);
    String a = bound("a=3,b=5", line(0, 0, 1, "100/0", "200/0"));
    String b = bound("b=5,a=3", line(1, 1, 1, "0/150", "0/250"));
    assertThat(detect(a, b)).isOne();
    assertThat(out.toString()).startsWith("{\"binding\":\"a=3,b=5\",");
  }

  @Test
  void valuesThatMakeTheirTermTrueAreAccepted() throws IOException {
    Files.writeString(predicate, INSTANCES);
    String a = bound("a=3,b=5", line(0, 0, 1, "100/0", "200/0"));
    String b = bound("a=3,b=5", line(1, 1, 1, "0/150", "0/250"));
    assertThat(detect(valued("x_3_5", "1", a), valued("y_3_5", "1", b))).isOne();
    assertThat(detect(valued("x_3_5", "1", a), b)).as("values are optional").isOne();
  }

  @Test
  void theFirstViolationIsTheFirstOfAllInstances() throws IOException {
    Files.writeString(predicate, ONE_CAPTURE);
    List<String> trace = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      String binding = "a=" + i;
      int start = 1_000 - i * 100;
      trace.add(0, bound(binding, line(0, 0, 10 - i, start + "/0", null)));
      trace.add(bound(binding, line(1, 1, i, "0/" + (1_000 + i), null)));
    }
    assertThat(detectWith(List.of("--report", "first"), trace.toArray(String[]::new))).isOne();
    assertThat(out.toString()).contains("a=1").contains("\"violate\":\"1001\"").hasLineCount(1);
  }

  @Test
  void intervalsOfOneVersionAreOneIfAskedFor() {
    // Node 1 still shows version 4 long after node 0, which accepted it, has left it.
    String[] trace = {
      replica(0, 0, 1, "100/0", "200/0", "x@4", 0),
      replica(1, 0, 1, "110/120", "210/90000", "x@4", 0),
      line(1, 1, 2, "210/50000", "210/60000"),
    };
    assertThat(detectWith(List.of("--replicas", "any"), trace)).as("a phantom").isOne();
    assertThat(detectWith(List.of("--replicas", "first"), trace)).isZero();
    trace[2] = line(1, 1, 2, "110/150", "110/160");
    assertThat(detectWith(List.of("--replicas", "first"), trace)).isOne();
    assertThat(out.toString()).contains("{\"term\":0,\"node\":0,\"seq\":1}");
  }

  @Test
  void thePredicateDecidesTheReplicaRuleUnlessTheOptionDoes() throws IOException {
    String[] phantom = {
      replica(0, 0, 1, "100/0", "200/0", "x@4", 0),
      replica(1, 0, 1, "110/120", "210/90000", "x@4", 0),
      line(1, 1, 2, "210/50000", "210/60000"),
    };
    assertThat(detect(phantom)).as("first, as without the field").isZero();
    Files.writeString(predicate, MUTEX.replace("spec:\n", "spec:\n  replicas: first\n"));
    assertThat(detect(phantom)).isZero();
    assertThat(detectWith(List.of("--replicas", "first"), phantom)).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(detectWith(List.of("--replicas", "any"), phantom)).isOne();
    assertThat(err)
        .hasToString(
            "palinode: --replicas any overrides 'replicas: first' of "
                + predicate
                + System.lineSeparator());
    Files.writeString(predicate, MUTEX.replace("spec:\n", "spec:\n  replicas: any\n"));
    assertThat(detect(phantom)).isOne();
    assertThat(err.toString()).isEmpty();
    assertThat(detectWith(List.of("--replicas", "first"), phantom)).isZero();
    assertThat(err.toString()).contains("--replicas first overrides 'replicas: any' of ");
  }

  @Test
  void theOrderOfDifferentNodesLinesChangesNothing() {
    List<List<String>> perNode = new ArrayList<>();
    Random random = new Random(7);
    for (int node = 0; node < 3; node++) {
      List<String> lines = new ArrayList<>();
      long at = 100;
      for (int seq = 1; seq <= 30; seq++) {
        long[] start = {0, 0, 0};
        long[] end = {0, 0, 0};
        start[node] = at += random.nextInt(5_000);
        end[node] = at += random.nextInt(5_000);
        lines.add(line(node, random.nextInt(2), seq, join(start), join(end)));
      }
      perNode.add(lines);
    }
    String expected = null;
    for (int round = 0; round < 10; round++) {
      Collections.shuffle(perNode, random);
      assertThat(detect(perNode.stream().flatMap(List::stream).toArray(String[]::new))).isOne();
      expected = expected == null ? out.toString() : expected;
      assertThat(out).hasToString(expected);
    }
  }

  @Test
  void thePapersXmlHasNoNameToMatch() throws IOException {
    predicate = Files.writeString(folder.resolve("paper.xml"), PAPER);
    String[] trace = {line(0, 0, 1, "100/0", "200/0"), line(1, 1, 1, "0/150", "0/250")};
    assertThat(detect(trace)).isOne();
    assertThat(detect(trace[0].replace("\"p\"", "\"q\""), trace[1].replace("\"p\"", "\"q\"")))
        .isOne();
    assertThat(detect(trace[0].replace("\"p\"", "\"q\""), trace[1])).isEqualTo(2);
    assertThat(err.toString()).contains("line 2 of ").contains("'predicate' must be 'q'");
  }

  @Test
  void standardInputIsReadForADash() {
    String trace = line(0, 0, 1, "100/0", null) + "\n\n" + line(1, 1, 1, "0/150", null);
    assertThat(run(trace, List.of("-"))).isOne();
    assertThat(run("{}\n", List.of("-"))).isEqualTo(2);
    assertThat(err.toString()).startsWith("palinode: line 1 of -: ");
  }

  @Test
  void progressIsPrintedAfterTwoSeconds() throws IOException {
    Path trace = Files.write(folder.resolve("t.jsonl"), closedOnes(20_000));
    assertThat(run("", List.of(trace.toString()))).isZero();
    assertThat(err.toString()).isEmpty();
    nanosPerLook = TimeUnit.MILLISECONDS.toNanos(800);
    assertThat(run("", List.of(trace.toString()))).isZero();
    assertThat(err.toString().lines())
        .as("after two seconds, then every five")
        .hasSizeBetween(5, 12)
        .allMatch(
            line ->
                line.matches(
                    "(reading|judging) \\d+ %, [\\d,]+ (lines|intervals), [\\d,]+/s, \\d+ s left"))
        .anyMatch(line -> line.startsWith("reading"))
        .anyMatch(line -> line.startsWith("judging"));
  }

  @Test
  void onATerminalOneLineIsWrittenOverAndTakenAway() {
    nanosPerLook = TimeUnit.MILLISECONDS.toNanos(800);
    terminal = true;
    assertThat(run(String.join("\n", closedOnes(5_000)), List.of("-"))).isZero();
    assertThat(err.toString())
        .startsWith("\r\033[Kreading 2,048 lines, ")
        .contains("\r\033[Kjudging ")
        .endsWith("\r\033[K")
        .doesNotContain("\n");
  }

  @Test
  void whatDoesNotFitInMemoryIsSortedOnDiskAndJudgedAlike() throws IOException {
    Files.writeString(predicate, ONE_CAPTURE);
    Random random = new Random(11);
    for (String replicas : List.of("any", "first")) {
      String[] trace = manyInstances(random);
      List<String> options =
          List.of(
              "--replicas", replicas, "--scratch", folder.toString(), "--retained-max", "100000");
      heapBytes = Long.MAX_VALUE;
      assertThat(detectWith(options, trace)).isOne();
      String inMemory = out.toString();
      heapBytes = 0;
      assertThat(detectWith(options, trace)).isOne();
      assertThat(out).hasToString(inMemory);
      assertThat(folder.toFile().list()).as("nothing is left").hasSize(2);
    }
  }

  @Test
  void whereTooManyIntervalsAreOpenWhatWasNotJudgedIsUnknown() {
    List<String> trace = new ArrayList<>();
    for (int seq = 1; seq <= 100; seq++) {
      trace.add(line(0, 0, seq, seq * 10 + "/0", null));
    }
    String[] lines = trace.toArray(String[]::new);
    assertThat(detectWith(List.of("--retained-max", "40"), lines)).isEqualTo(3);
    assertThat(err.toString())
        .startsWith("palinode: unknown: of the intervals that overlap or are open, 40 at most")
        .contains("so violations from 400 on may be missing")
        .hasLineCount(1);
    trace.add(line(1, 1, 1, "1000/2000", null));
    assertThat(detectWith(List.of("--retained-max", "40"), trace.toArray(String[]::new))).isOne();
    assertThat(err.toString()).contains("palinode: unknown: ");
    assertThat(detect(lines)).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anInterruptedRunStatesThatTheRestIsUnknown() {
    ProgressLine progress = new ProgressLine(nanos::get, new PrintWriter(err), false);
    progress.begin("judging", "intervals", 10);
    progress.at(1, 1);
    progress.stop();
    assertThatThrownBy(() -> progress.at(2, 2)).isInstanceOf(StoppedException.class);
  }

  private static List<String> closedOnes(int count) {
    List<String> lines = new ArrayList<>();
    for (int seq = 1; seq <= count; seq++) {
      lines.add(line(0, 0, seq, seq + "/0", seq + "/0"));
    }
    return lines;
  }

  /** A large one and small ones, with versions that replicas show, in an order of their own. */
  private static String[] manyInstances(Random random) {
    List<String> trace = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      long at = 100;
      for (int seq = 1; seq <= 3_000; seq++) {
        at += random.nextInt(4) * 1_000L;
        String start = node == 0 ? at + "/0" : "0/" + at;
        String end = node == 0 ? at + 1_500 + "/0" : "0/" + (at + 1_500);
        String line =
            random.nextInt(3) == 0
                ? line(node, node, seq, start, random.nextInt(50) == 0 ? null : end)
                : replica(node, 0, seq, start, end, "x@" + seq / 2, random.nextInt(2));
        int instance = random.nextInt(12);
        trace.add(bound("a=" + Math.min(4, instance), line));
      }
    }
    return trace.toArray(String[]::new);
  }
}
