package io.palinode.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The form of every page: width, length, headings, links. */
class DocsTest {
  private static final int WIDTH_MAX = 100;
  private static final int WORDS_MAX = 250;

  /** By the folder of a page; the first that fits. */
  private static final Map<String, Integer> LINES_MAX = new LinkedHashMap<>();

  static {
    LINES_MAX.put("README.md", 100);
    LINES_MAX.put("docs/tutorial", 120);
    LINES_MAX.put("docs/how-to", 100);
    LINES_MAX.put("docs/stores", 100);
    LINES_MAX.put("docs/explanation", 200);
    LINES_MAX.put("docs/develop", 200);
    LINES_MAX.put("docs/adr", 60);
  }

  private static final List<Page> PAGES = Page.all();

  @Test
  void noLineOutsideOfTablesIsWiderThanAllowed() {
    List<String> wide = new ArrayList<>();
    for (Page page : PAGES) {
      List<String> lines = page.prose();
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).length() > WIDTH_MAX && !lines.get(i).startsWith("|")) {
          wide.add("%s:%d: %d characters".formatted(page.name(), i + 1, lines.get(i).length()));
        }
      }
    }
    assertThat(wide).isEmpty();
  }

  @Test
  void noPageIsLongerThanItsKindAllows() {
    List<String> longer = new ArrayList<>();
    for (Page page : PAGES) {
      LINES_MAX.forEach(
          (folder, max) -> {
            if (page.isIn(folder) && page.lines().size() > max) {
              longer.add("%s: %d lines, limit %d".formatted(page.name(), page.lines().size(), max));
            }
          });
    }
    assertThat(longer).isEmpty();
  }

  @Test
  void aHeadingStandsAtLeastEvery250Words() {
    List<String> walls = new ArrayList<>();
    for (Page page : PAGES) {
      int words = 0;
      int start = 1;
      List<String> lines = new ArrayList<>(page.prose());
      lines.add("# end");
      for (int i = 0; i < lines.size(); i++) {
        if (Page.isHeading(lines.get(i))) {
          if (words > WORDS_MAX) {
            walls.add("%s:%d: %d words".formatted(page.name(), start, words));
          }
          words = 0;
          start = i + 1;
        } else if (!lines.get(i).strip().matches("|[|].*|<!--.*")) {
          words += lines.get(i).strip().split("\\s+").length;
        }
      }
    }
    assertThat(walls).isEmpty();
  }

  @Test
  void everyDecisionHasItsSectionsAndTheNumbersHaveNoHole() {
    List<Page> decisions = PAGES.stream().filter(page -> page.isIn("docs/adr")).toList();
    for (int i = 0; i < decisions.size(); i++) {
      Page page = decisions.get(i);
      assertThat(page.path().getFileName().toString()).startsWith("%04d-".formatted(i + 1));
      assertThat(page.lines().get(0)).startsWith("# %04d. ".formatted(i + 1));
      assertThat(page.lines().stream().filter(line -> line.startsWith("## ")))
          .as(page.name())
          .containsExactly("## Context", "## Decision", "## Rejected options", "## Consequences");
    }
  }

  @Test
  void everyLinkLeadsToAPageAndAHeading() {
    List<String> broken = new ArrayList<>();
    for (Page page : PAGES) {
      for (String link : page.links()) {
        if (!link.contains("://") && !link.startsWith("mailto:") && !leads(page, link)) {
          broken.add(page.name() + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void theIndexListsEveryPage() {
    Page index = Page.read(Path.of("docs/README.md"));
    List<Path> listed =
        index.links().stream().map(link -> Path.of("docs").resolve(link).normalize()).toList();
    assertThat(PAGES)
        .filteredOn(page -> page.isIn("docs") && !page.isIn("docs/adr") && !page.equals(index))
        .allSatisfy(page -> assertThat(listed).contains(page.path()));
  }

  @Test
  void everySourceFileThatAPageNamesExists() {
    assertThat(namedWithoutSource(PAGES, "`(\\w+\\.java)`", "")).isEmpty();
  }

  @Test
  void everyTestThatAPageForDevelopersNamesExists() {
    List<Page> pages = PAGES.stream().filter(page -> page.isIn("docs/develop")).toList();
    assertThat(namedWithoutSource(pages, "`([A-Z]\\w+(?:Test|IT))`", ".java")).isEmpty();
  }

  /** What a page names by {@code pattern}, with {@code ending}, and is no source file. */
  private static List<String> namedWithoutSource(List<Page> pages, String pattern, String ending) {
    Set<String> sources =
        SourceTree.files().stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".java"))
            .collect(Collectors.toSet());
    Pattern named = Pattern.compile(pattern);
    List<String> missing = new ArrayList<>();
    for (Page page : pages) {
      named
          .matcher(String.join("\n", page.prose()))
          .results()
          .map(found -> found.group(1) + ending)
          .filter(name -> !sources.contains(name))
          .forEach(name -> missing.add(page.name() + ": " + name));
    }
    return missing;
  }

  @Test
  void theReferenceNamesEveryAlertAndRule() throws IOException {
    String page =
        String.join("\n", Page.read(Path.of("docs/reference/metrics-and-alerts.md")).lines());
    String rules = Files.readString(Page.ROOT.resolve("dashboards/prometheus/rules.yml"));
    List<String> names =
        Stream.concat(
                Arrays.stream(Alert.Kind.values()).map(Alert.Kind::alertName),
                Pattern.compile("alert: (\\w+)")
                    .matcher(rules)
                    .results()
                    .map(found -> found.group(1)))
            .toList();
    assertThat(names).hasSizeGreaterThan(40);
    assertThat(names).allSatisfy(name -> assertThat(page).contains("| `" + name + "` |"));
  }

  private static boolean leads(Page from, String link) {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path parent = from.path().getParent();
    Path target =
        file.isEmpty()
            ? from.path()
            : (parent == null ? Path.of(file) : parent.resolve(file)).normalize();
    if (!Files.exists(Page.ROOT.resolve(target))) {
      return false;
    }
    return hash < 0 || Page.read(target).anchors().contains(link.substring(hash + 1));
  }
}
