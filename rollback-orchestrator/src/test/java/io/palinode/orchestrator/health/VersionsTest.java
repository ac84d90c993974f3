package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.Build;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VersionsTest {
  @Test
  void oneVersionIsFine() {
    assertThat(finding("orchestrator", "1.2", "detection", "1.2", "node 0", "1.2"))
        .isEqualTo(Finding.ok("versions", "all parts run 1.2"));
  }

  @Test
  void differentVersionsAreNamedWithTheirParts() {
    Finding finding =
        finding("orchestrator", "1.3", "detection", "1.2", "node 0", "1.3", "node 1", "1.2");
    assertThat(finding.level()).isEqualTo(Finding.Level.NOTE);
    assertThat(finding.what()).isEqualTo("1.2: detection, node 1; 1.3: orchestrator, node 0");
    assertThat(finding.fix()).startsWith("update all parts to one version");
  }

  @Test
  void aPartOfAnEarlierReleaseIsUnknown() {
    assertThat(finding("orchestrator", "1.3", "node 0", Versions.shown("")).what())
        .isEqualTo("1.3: orchestrator; unknown: node 0");
    assertThat(finding("orchestrator", "unknown", "node 0", "unknown").level())
        .isEqualTo(Finding.Level.NOTE);
  }

  @Test
  void aForgedVersionIsCutAndVisible() {
    assertThat(Versions.shown("1\n\u001b[2J é")).isEqualTo("1??[2J??");
    assertThat(Versions.shown("9".repeat(1_000_000))).hasSize(41).endsWith("…");
  }

  @Test
  void theBuildHasAVersion() {
    assertThat(Build.VERSION).matches("[0-9]+\\.[0-9]+\\.[0-9]+.*");
  }

  private static Finding finding(String... partsAndVersions) {
    Map<String, String> versions = new LinkedHashMap<>();
    for (int i = 0; i < partsAndVersions.length; i += 2) {
      versions.put(partsAndVersions[i], partsAndVersions[i + 1]);
    }
    return Versions.finding(versions);
  }
}
