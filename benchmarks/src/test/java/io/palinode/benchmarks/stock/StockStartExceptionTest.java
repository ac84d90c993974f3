package io.palinode.benchmarks.stock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StockStartExceptionTest {
  private static final Path FOLDER = Path.of("some", "voldemort");

  private static String message(boolean alive, String... log) {
    return String.valueOf(
        new StockStartException(FOLDER, new NotServingException("serve", alive, List.of(log)))
            .getMessage());
  }

  @Test
  void classesThatAreMissingAreNamedOnceWithTheFolderAndTheWayOut() {
    assertThat(
            message(
                false,
                "Exception in thread \"main\" java.lang.NoClassDefFoundError: org/apache/commons/io/FileUtils",
                "\tat voldemort.server.VoldemortServer.main(VoldemortServer.java:542)",
                "Caused by: java.lang.ClassNotFoundException: org.apache.commons.io.FileUtils"))
        .isEqualTo(
            "the stock Voldemort in %s does not start: it lacks the class org.apache.commons.io.FileUtils. Put the library that has it below that folder (Voldemort's own './gradlew copyDeps' puts all that it needs into 'lib'), and run this again"
                .formatted(FOLDER));
  }

  @Test
  void aClassThatCouldNotBeInitializedIsNoneThatIsMissing() {
    assertThat(message(false, "java.lang.NoClassDefFoundError: Could not initialize class a.b.C"))
        .contains("it ended. Start it by hand")
        .endsWith("Could not initialize class a.b.C");
  }

  @Test
  void classesOfANewerJavaAreNamed() {
    assertThat(message(false, "java.lang.UnsupportedClassVersionError: voldemort/Server has been"))
        .contains("its class voldemort.Server was compiled for a newer Java");
  }

  @Test
  void anUnknownCauseIsReportedWithTheEndOfTheLog() {
    String[] lines = new String[40];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = "line " + i;
    }
    assertThat(message(true, lines))
        .contains("it serves nothing within 120 s")
        .endsWith("line 39")
        .contains("line 28")
        .doesNotContain("line 27");
  }
}
