package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.predicate.lint.Lint;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What cannot be done is refused with one sentence and exit status 2, before anything starts. */
class RefusalsTest {
  private static final String WITH_EPSILON_ZERO =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        epsilon: 0
        violation:
          - all:
              - {var: x, equals: "1"}
      """;

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aClusterThatCannotRunHereIsRefused() throws IOException {
    String elsewhere = file("cluster.xml", clusterXml(0, "192.0.2.1")).toString();
    assertThat(run("up", "--cluster", elsewhere)).isEqualTo(2);
    assertOneSentence("192.0.2.1, which is not this machine");
    String gap = file("cluster.xml", clusterXml(1, "127.0.0.1")).toString();
    assertThat(run("up", "--cluster", gap)).isEqualTo(2);
    assertOneSentence("must be 0, 1, 2");
    assertThat(run("up", "--cluster", gap, "--nodes", "1")).isEqualTo(2);
    assertOneSentence("--cluster gives the number of nodes");
  }

  private static String clusterXml(int id, String host) {
    Node node = new Node(id, host, 1, 1, 1, 0, List.of(0));
    return new Cluster("c", List.of(), List.of(node)).toXml();
  }

  @Test
  void anAddressOfTheConsoleThatNoLinkCanBeginWithIsRefused() {
    assertThat(run("up", "--external-url", "ops.example")).isEqualTo(2);
    assertOneSentence("--external-url: must be http(s)://HOST");
  }

  @Test
  void storesMayBeInAFolderAndOneWithoutAnyIsRefused() throws IOException {
    Path stores = Files.createDirectory(folder.resolve("STORES"));
    assertThat(run("up", "--stores", stores.toString())).isEqualTo(2);
    assertOneSentence("there is no store in");
    Files.writeString(
        stores.resolve("wide"),
        StoreDefinition.toXml(List.of(StoreDefinition.of("wide", Persistence.BDB, 9, 1, 1))));
    assertThat(run("up", "--stores", stores.toString())).isEqualTo(2);
    assertOneSentence("store 'wide' wants 9 replicas");
  }

  @Test
  void aMalformedPredicateIsRefused() throws IOException {
    assertThat(run("apply", "-f", file("p.yaml", "apiVersion: [").toString())).isEqualTo(2);
    assertOneSentence("p.yaml");
  }

  @Test
  void anUnknownFieldIsNamed() throws IOException {
    Path file =
        file(
            "p.yaml",
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              violatoin: []
            """);
    assertThat(run("apply", "-f", file.toString())).isEqualTo(2);
    assertOneSentence("violatoin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"explain", "lint"})
  void aPredicateThatIsNotValidIsRefusedWithItsPlace(String command) throws IOException {
    Path file =
        file(
            "p.yaml",
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              violation:
                - all: []
            """);
    assertThat(run(command, file.toString())).isEqualTo(2);
    assertOneSentence(file + ":6:7: a clause needs at least one term");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"explain", "export", "lint"})
  void aFolderInsteadOfAFileIsRefused(String command) {
    assertThat(run(command, folder.toString())).isEqualTo(2);
    assertOneSentence("a folder is named where a file is read: name its files");
  }

  @ParameterizedTest
  @ValueSource(strings = {"explain", "lint"})
  void aFileOfPredicatesThatIsMissingIsNamed(String command) {
    String missing = folder.resolve("absent.yaml").toString();
    assertThat(run(command, missing)).isEqualTo(2);
    assertOneSentence("no such file: " + missing);
    assertThat(run(command)).isEqualTo(2);
  }

  @Test
  void lintFindsNothingInWhatIsShipped() {
    Path shipped = Path.of("../examples/graph-mutex/src/main/resources/io/palinode/examples/graph");
    assertThat(
            run(
                "lint",
                shipped.resolve("edge-mutex.yaml").toString(),
                shipped.resolve("proper-colouring.yaml").toString(),
                shipped.resolve("karate-edge-mutex.xml").toString()))
        .isZero();
    assertThat(out.toString() + err).isEmpty();
  }

  @Test
  void lintSaysWhatItFindsAndWhereUnlessItIsIgnored() throws IOException {
    String file = file("p.yaml", WITH_EPSILON_ZERO).toString();
    assertThat(run("lint", file)).isEqualTo(1);
    assertThat(out.toString()).startsWith(file + ":5:12: epsilon-zero: p: ").endsWith("\n");
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(run("lint", "--ignore", "epsilon-zero", file)).isZero();
    assertThat(run("lint", "--ignore=epsilon-large,epsilon-zero", file)).isZero();
    assertThat(run("lint", "-o", "json", file)).isEqualTo(1);
    assertThat(out.toString()).contains("\"place\" : \"" + file + ":5:12\"");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aFindingThatThereIsNotCannotBeIgnored() throws IOException {
    String file = file("p.yaml", WITH_EPSILON_ZERO).toString();
    assertThat(run("lint", "--ignore", "epsilon-zer", file)).isEqualTo(2);
    assertOneSentence("did you mean 'epsilon-zero'?");
  }

  @Test
  void aSchemaIsPrintedInEitherForm() {
    assertThat(run("schema")).isZero();
    assertThat(out.toString()).startsWith("{").contains("\"whenFrequent\"");
    assertThat(run("schema", "predicate", "--xsd")).isZero();
    assertThat(out.toString()).contains("<xs:schema").contains("whenFrequent");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aSchemaOfSomethingElseIsRefused() {
    assertThat(run("schema", "violation")).isEqualTo(2);
    assertOneSentence("'violation'");
  }

  @Test
  void theHelpOfLintNamesEveryFinding() {
    assertThat(run("lint", "--help")).isZero();
    assertThat(Lint.Check.words())
        .allSatisfy(word -> assertThat(out.toString()).contains("  " + word + " "));
  }

  @Test
  void aMissingFileIsNamed() {
    String missing = folder.resolve("absent.yaml").toString();
    assertThat(run("apply", "-f", missing)).isEqualTo(2);
    assertOneSentence("no such file: " + missing);
  }

  @Test
  void anUnknownOptionIsRefusedWithASuggestion() {
    assertThat(run("up", "--node", "3")).isEqualTo(2);
    assertOneSentence("--nodes");
  }

  @Test
  void anUnknownCommandIsRefusedWithASuggestion() {
    assertThat(run("stats")).isEqualTo(2);
    assertOneSentence("status");
  }

  @Test
  void zeroNodesAreRefused() {
    assertThat(run("up", "--nodes", "0")).isEqualTo(2);
    assertOneSentence("--nodes must be in [1, 64]: 0");
  }

  @Test
  void aTimeThatIsNoneIsRefused() {
    assertThat(run("up", "--epsilon", "soon")).isEqualTo(2);
    assertOneSentence("--epsilon");
  }

  @Test
  void aNumberThatIsNoneIsRefusedInPlainWords() {
    assertThat(run("get", "violations", "--limit", "abc")).isEqualTo(2);
    assertOneSentence("'abc' is not a whole number");
    assertThat(run("simulate", "--seed", "x")).isEqualTo(2);
    assertOneSentence("'x' is not a whole number");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://x", "127.0.0.1:6766", "http://"})
  void aContextOfAnAddressThatIsNoUrlIsRefused(String server) {
    assertThat(run("config", "set-context", "b", "--server", server)).isEqualTo(2);
    assertOneSentence("--server must be a URL like http://127.0.0.1:6766: '" + server + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yesterday", "-30", "12.4096"})
  void aMomentThatIsNoneIsRefusedWithTheForms(String time) {
    // A node that is not there would be named if it were asked.
    assertThat(run("get-value", "k", "--at", time, "--bootstrap", "127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("'" + time + "'");
  }

  @Test
  void aMomentIsAskedOfTheNodes() {
    assertThat(run("get-value", "k", "--at", "-30s", "--bootstrap", "127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("127.0.0.1:1");
  }

  @Test
  void aFolderOfAnotherFormatIsRefusedBeforeAnythingStarts() throws IOException {
    Path node = Files.createDirectories(folder.resolve("data/node-1"));
    Files.writeString(node.resolve("VERSION"), "palinode-data=9 node=1 nodes=3\n");
    assertThat(run("up", "--port-base", "21000", "--data", folder.resolve("data").toString()))
        .isEqualTo(2);
    assertOneSentence("is of another format (found 'palinode-data=9 node=1 nodes=3'");
  }

  @Test
  void aFolderInUseIsRefusedBeforeAnythingStarts() {
    Path data = folder.resolve("data");
    try (DataFolder used = DataFolder.open(data, 0, 3)) {
      assertThat(used.bdb()).exists();
      assertThat(run("up", "--port-base", "21000", "--data", data.toString())).isEqualTo(2);
      assertOneSentence("is in use by another running node");
    }
  }

  @Test
  void aFolderBelowAFileIsRefused() throws IOException {
    Path file = file("file", "");
    assertThat(run("up", "--data", file.resolve("data").toString())).isEqualTo(2);
    assertOneSentence(file.toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, UpCommand.API_OFFSET, UpCommand.KAFKA_OFFSET})
  void aPortInUseIsNamed(int offset) throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int base = taken.getLocalPort() - offset;
      assertThat(run("up", "--port-base", "" + base, "--data", folder.resolve("data").toString()))
          .isEqualTo(2);
      assertOneSentence(" is in use");
      assertThat(folder.resolve("data")).as("no folder is claimed").isEmptyDirectory();
    }
  }

  @Test
  void aStoreWithMoreReplicasThanNodesIsRefused() throws IOException {
    Path stores = file("stores.xml", UpIT.STORES);
    assertThat(run("up", "--nodes", "2", "--stores", stores.toString())).isEqualTo(2);
    assertOneSentence("store 'kept' wants 3 replicas, but there are 2 nodes");
  }

  @Test
  void anUnknownGraphIsRefused() {
    assertThat(run("demo", "--graph", "kartae")).isEqualTo(2);
    assertOneSentence("kartae");
  }

  @Test
  void aMalformedTraceIsRefusedWithItsLine() throws IOException {
    Path predicate =
        file(
            "p.yaml",
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              violation:
                - all:
                    - {var: x, equals: "1"}
            """);
    Path trace = file("t.jsonl", "not a candidate\n");
    assertThat(run("detect", "--predicate", predicate.toString(), trace.toString())).isEqualTo(2);
    assertOneSentence("t.jsonl");
  }

  @Test
  void aServerThatIsNotThereIsNamed() {
    assertThat(run("status", "--server", "http://127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("http://127.0.0.1:1");
  }

  @Test
  void aNodeThatIsNotThereIsNamed() {
    assertThat(run("put", "k", "v", "--bootstrap", "127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("127.0.0.1:1");
  }

  @Test
  void aRollbackIsNotAbandonedWithoutAYes() {
    // A server that is not there would be named if it were asked.
    assertThat(run("rollback", "abandon", "3", "--server", "http://127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("--yes");
  }

  /** A server that is not there would be named if it were asked. */
  @ParameterizedTest
  @CsvSource({
    "--base one, --incremental or --rolling",
    "--rolling, --base",
    "--base one --incremental --rolling, not both",
    "--defer 0, --defer must be at least 1: 0",
    "--defer two, --defer",
    "--at soon, 'soon'"
  })
  void aSnapshotThatCannotBeTakenIsRefusedBeforeAnyoneIsAsked(String options, String part) {
    List<String> command = new ArrayList<>(List.of("snapshot", "take"));
    command.addAll(List.of(options.split(" ")));
    command.addAll(List.of("--server", "http://127.0.0.1:1"));
    assertThat(run(command.toArray(String[]::new))).isEqualTo(2);
    assertOneSentence(part);
  }

  @Test
  void aSnapshotIsNotDeletedWithoutAYes() {
    assertThat(run("snapshot", "delete", "one", "--server", "http://127.0.0.1:1")).isEqualTo(2);
    assertOneSentence("--yes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"take", "list", "show", "verify", "diff", "delete"})
  void theHelpOfSnapshotsHasExamples(String command) {
    assertThat(run("snapshot", command, "--help")).isZero();
    assertThat(out.toString()).contains("Example").contains("palinode snapshot " + command);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void snapshotsAreAskedForAtTheServer() {
    for (String command : List.of("take", "list", "show one", "verify one", "diff -1m -30s")) {
      List<String> all = new ArrayList<>(List.of("snapshot"));
      all.addAll(List.of(command.split(" ")));
      all.addAll(List.of("--server", "http://127.0.0.1:1"));
      err.getBuffer().setLength(0);
      assertThat(run(all.toArray(String[]::new))).as(command).isEqualTo(2);
      assertOneSentence("http://127.0.0.1:1");
    }
  }

  @Test
  void debugShowsTheTrace() {
    assertThat(run("up", "--nodes", "0", "--debug")).isEqualTo(2);
    assertThat(err.toString()).contains("\tat io.palinode.cli.UpCommand");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "up",
        "apply",
        "get",
        "delete",
        "status",
        "rollback",
        "snapshot",
        "detect",
        "explain",
        "lint",
        "schema",
        "put",
        "get-value"
      })
  void theHelpOfACommandHasAnExample(String command) {
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString()).contains("Example").contains("palinode " + command);
    assertThat(err.toString()).isEmpty();
  }

  /**
   * One whose folder has all that is looked for beforehand, and whose server still lacks a class.
   */
  @Test
  void aStockServerThatDoesNotStartIsRefusedByWhatItLacks() throws IOException {
    Path server =
        file(
            "VoldemortServer.java",
            """
            package voldemort.server;
            public class VoldemortServer {
              public static void main(String[] args) {
                throw new NoClassDefFoundError("org/apache/commons/io/FileUtils");
              }
            }
            """);
    Path classes = Files.createDirectory(folder.resolve("classes"));
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes.toString(), server.toString());
    assertThat(compiled).isZero();
    for (String part :
        List.of(
            "voldemort/xml/cluster.xsd",
            "com/sleepycat/je/Environment.class",
            "com/google/protobuf/Message.class",
            "org/jdom/Document.class",
            "org/apache/log4j/Logger.class",
            "org/apache/commons/lang/StringUtils.class",
            "com/google/common/collect/Lists.class")) {
      Files.createDirectories(Objects.requireNonNull(classes.resolve(part).getParent()));
      Files.createFile(classes.resolve(part));
    }
    assertThat(run("bench", "stock", "--voldemort", folder.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("palinode: the stock Voldemort in " + folder + " does not start")
        .contains("it lacks the class org.apache.commons.io.FileUtils. Put the library")
        .doesNotContain("defect");
  }

  private void assertOneSentence(String part) {
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("palinode: ").contains(part).doesNotContain("internal");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private int run(String... args) {
    err.getBuffer().setLength(0);
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(args);
  }
}
