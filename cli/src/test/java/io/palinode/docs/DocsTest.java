package io.palinode.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Links of every page. */
class DocsTest {
  private static final List<Page> PAGES = Page.all();

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
