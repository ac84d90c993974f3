package io.palinode.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows of docs/develop/module-map.md, and what a core may not do. */
class ArchitectureTest {
  private static final String HVC = "io.palinode.hvc..";
  private static final String RETROSCOPE = "io.palinode.retroscope..";
  private static final String PREDICATE = "io.palinode.predicate..";
  private static final String WIRE = "io.palinode.wire..";
  private static final String DETECTION = "io.palinode.detection..";
  private static final String DETECTOR = "io.palinode.detector..";
  private static final String CLIENT_PROTOCOL = "io.palinode.voldemort.protocol..";
  private static final String CLIENT_CLUSTER = "io.palinode.voldemort.cluster..";
  private static final String CLIENT = "io.palinode.voldemort.client..";

  private static final String CQL_PROTOCOL = "io.palinode.cql.protocol..";
  private static final String CQL_CLIENT = "io.palinode.cql.client..";
  private static final String EXAMPLES = "io.palinode.examples..";

  private static final String TLS = "io.palinode.tls..";
  private static final String LOADER = "io.palinode.loader..";
  private static final String CONSOLE = "io.palinode.console..";
  private static final String TERMINAL = "io.palinode.terminal..";
  private static final String CLI = "io.palinode.cli..";

  private static final String AGENT = "io.palinode.agent..";
  private static final String AGENT_CLIENT = "io.palinode.agent.client";
  private static final String AGENT_ADVICE = "io.palinode.agent.advice..";
  private static final String AGENT_BOOT = "io.palinode.agent.boot";

  private static final Map<String, List<String>> ARROWS =
      Map.ofEntries(
          Map.entry(HVC, List.of()),
          Map.entry(TLS, List.of()),
          Map.entry(LOADER, List.of()),
          Map.entry(
              "io.palinode.cassandra..",
              List.of(
                  HVC,
                  RETROSCOPE,
                  PREDICATE,
                  WIRE,
                  DETECTOR,
                  "io.palinode.store..",
                  CQL_PROTOCOL,
                  LOADER)),
          Map.entry(
              "io.palinode.hazelcast..",
              List.of(HVC, RETROSCOPE, PREDICATE, WIRE, DETECTOR, "io.palinode.store..", LOADER)),
          Map.entry(CQL_PROTOCOL, List.of(HVC)),
          Map.entry(CQL_CLIENT, List.of(HVC, CQL_PROTOCOL)),
          Map.entry(RETROSCOPE, List.of(HVC)),
          Map.entry(PREDICATE, List.of(HVC)),
          Map.entry(WIRE, List.of(HVC, PREDICATE)),
          Map.entry(DETECTION, List.of(HVC, PREDICATE)),
          Map.entry(DETECTOR, List.of(HVC, PREDICATE, WIRE)),
          Map.entry("io.palinode.store..", List.of(HVC, RETROSCOPE, PREDICATE, WIRE, DETECTOR)),
          Map.entry("io.palinode.monitor..", List.of(HVC, PREDICATE, DETECTION, WIRE)),
          Map.entry(CONSOLE, List.of()),
          Map.entry(
              "io.palinode.orchestrator..", List.of(HVC, PREDICATE, WIRE, DETECTION, TLS, CONSOLE)),
          Map.entry(CLIENT, List.of(HVC, CLIENT_PROTOCOL, CLIENT_CLUSTER)),
          Map.entry(EXAMPLES, List.of(HVC, CLIENT, CLIENT_PROTOCOL, CLIENT_CLUSTER, CQL_CLIENT)),
          Map.entry(TERMINAL, List.of(TLS)),
          Map.entry(
              "io.palinode.chaos..",
              List.of(
                  HVC,
                  "io.palinode.orchestrator..",
                  CLIENT,
                  CLIENT_PROTOCOL,
                  CLIENT_CLUSTER,
                  TERMINAL)));

  private static JavaClasses production;

  @BeforeAll
  static void importProduction() {
    production =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.palinode");
  }

  static List<String> modules() {
    return ARROWS.keySet().stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleUsesOnlyWhatItsArrowsAllow(String module) {
    List<String> allowed = new ArrayList<>(ARROWS.get(module));
    allowed.add(module);
    noClasses()
        .that()
        .resideInAPackage(module)
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage("io.palinode..")
                .and(
                    com.tngtech.archunit.base.DescribedPredicate.not(
                        com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage(
                            allowed.toArray(String[]::new)))))
        .check(production);
  }

  @Test
  void theAgentUsesTheStoreNodeWithoutItsEngineAndSocket() {
    noClasses()
        .that()
        .resideInAPackage(AGENT)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.palinode.voldemort.bdb..",
            "io.palinode.monitor..",
            "io.palinode.orchestrator..",
            "io.palinode.detection..",
            CLI,
            "io.netty..",
            "com.sleepycat..",
            "voldemort..")
        .check(production);
  }

  @Test
  void ofOurClientTheAgentUsesWhatAnApplicationsOneKnowsAlone() {
    noClasses()
        .that()
        .resideInAPackage(AGENT)
        .and()
        .resideOutsideOfPackage(AGENT_CLIENT)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(CLIENT)
        .check(production);
    noClasses()
        .that()
        .resideInAPackage(AGENT_CLIENT)
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage(CLIENT)
                .and(
                    com.tngtech.archunit.base.DescribedPredicate.not(
                        com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf(
                            Session.class, EpochView.class, RolledBack.class))))
        .check(production);
  }

  @Test
  void whatTheServersOwnLoaderSeesOfTheAgentNeedsTheJdkAlone() {
    noClasses()
        .that()
        .resideInAPackage(AGENT_BOOT)
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(AGENT_BOOT, LOADER, "java..", "org.jspecify..")
        .check(production);
    noClasses()
        .that()
        .resideInAPackage(AGENT_ADVICE)
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            AGENT_ADVICE, AGENT_BOOT, "java..", "net.bytebuddy..", "org.jspecify..")
        .check(production);
  }

  @Test
  void whatCassandrasOwnLoaderSeesNeedsCassandraAndTheJdkAlone() {
    noClasses()
        .that()
        .resideInAPackage("io.palinode.cassandra")
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "io.palinode.cassandra", LOADER, "java..", "org.jspecify..", "org.apache.cassandra..")
        .check(production);
  }

  @Test
  void whatHazelcastsOwnLoaderSeesNeedsTheJdkAlone() {
    noClasses()
        .that()
        .resideInAPackage("io.palinode.hazelcast.boot")
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages("io.palinode.hazelcast.boot", LOADER, "java..", "org.jspecify..")
        .check(production);
    noClasses()
        .that()
        .resideInAPackage("io.palinode.hazelcast.advice")
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "io.palinode.hazelcast.advice",
            "io.palinode.hazelcast.boot",
            "java..",
            "net.bytebuddy..",
            "org.jspecify..")
        .check(production);
  }

  @Test
  void onlyTheAgentInAMemberUsesHazelcast() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.palinode.hazelcast", "io.palinode.hazelcast.member")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.hazelcast..")
        .check(production);
  }

  @Test
  void onlyTheNodeInCassandraUsesCassandra() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.palinode.cassandra..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.cassandra..")
        .check(production);
  }

  @Test
  void onlyTheClientOfCassandraAndExamplesUseItsDriver() {
    noClasses()
        .that()
        .resideOutsideOfPackages(CQL_CLIENT, EXAMPLES)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.datastax..")
        .check(production);
  }

  @Test
  void coresReadNoClockStartNoThreadAndDoNoInputOrOutput() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.palinode.hvc",
            "io.palinode.cql.protocol",
            "io.palinode.retroscope",
            "io.palinode.retroscope.disklog",
            "io.palinode.retroscope.segment",
            "io.palinode.detection",
            "io.palinode.detection.explain",
            "io.palinode.detection.search",
            "io.palinode.detection.shiviz",
            "io.palinode.detection.stream",
            "io.palinode.detection.trace",
            "io.palinode.detection.witness",
            "io.palinode.detector",
            "io.palinode.detector.binding",
            "io.palinode.detector.ring",
            "io.palinode.detector.terms",
            "io.palinode.hazelcast.record",
            "io.palinode.hazelcast.stamp",
            "io.palinode.monitor",
            "io.palinode.monitor.instance",
            "io.palinode.monitor.judgement",
            "io.palinode.monitor.sequence",
            "io.palinode.orchestrator",
            "io.palinode.orchestrator.health",
            "io.palinode.orchestrator.history",
            "io.palinode.orchestrator.plan",
            "io.palinode.orchestrator.policy",
            "io.palinode.orchestrator.request",
            "io.palinode.orchestrator.state",
            "io.palinode.orchestrator.step",
            "io.palinode.orchestrator.violations",
            "io.palinode.simulation.check",
            "io.palinode.store.affected",
            "io.palinode.store.binding",
            "io.palinode.store.control",
            "io.palinode.store.snapshot",
            "io.palinode.wire.plan")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.net..",
            "java.nio.file..",
            "java.io.file..",
            "io.netty..",
            "org.apache.kafka..",
            "org.apache.flink..")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .callConstructor(java.util.Random.class)
        .orShould()
        .callMethod(Thread.class, "start")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .check(production);
  }

  @Test
  void whatAnApplicationEmbedsDragsInNoKafkaFlinkOrBerkeleyDb() {
    noClasses()
        .that()
        .resideInAnyPackage(CLIENT, CLIENT_PROTOCOL, CLIENT_CLUSTER)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.kafka..", "org.apache.flink..", "com.sleepycat..")
        .check(production);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.palinode.benchmarks..",
        "io.palinode.simulation..",
        "io.palinode.chaos..",
        "io.palinode.demo.."
      })
  void onlyTheCommandUsesBenchmarksSimulationChaosAndDemo(String module) {
    onlyTheseUse(module, module, CLI);
  }

  @Test
  void onlyTheCommandAndTheDemoUseTheLauncher() {
    onlyTheseUse("io.palinode.launcher..", "io.palinode.launcher..", "io.palinode.demo..", CLI);
  }

  @Test
  void onlyWhatReportsToAPersonUsesTheTerminal() {
    onlyTheseUse(
        TERMINAL,
        TERMINAL,
        "io.palinode.benchmarks..",
        "io.palinode.chaos..",
        "io.palinode.demo..",
        CLI);
  }

  @Test
  void onlyTheServerOfTheApiUsesTheConsole() {
    onlyTheseUse(CONSOLE, CONSOLE, "io.palinode.orchestrator.rest");
  }

  private static void onlyTheseUse(String module, String... users) {
    noClasses()
        .that()
        .resideOutsideOfPackages(users)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(module)
        .check(production);
  }

  @Test
  void noModuleUsesTheCommand() {
    noClasses()
        .that()
        .resideOutsideOfPackage(CLI)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(CLI)
        .check(production);
  }

  @Test
  void packagesOfAModuleFormNoCycle() {
    slices().matching("io.palinode.(**)").should().beFreeOfCycles().check(production);
  }
}
