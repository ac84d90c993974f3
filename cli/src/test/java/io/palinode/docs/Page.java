package io.palinode.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One Markdown page of the repository.
 *
 * @param path from the repository's root
 */
public record Page(Path path, List<String> lines) {
  static final Path ROOT = SourceTree.ROOT;

  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");

  public static List<Page> all() {
    return SourceTree.files().stream()
        .filter(file -> file.toString().endsWith(".md"))
        .map(ROOT::relativize)
        .filter(file -> !file.toString().contains("src/test"))
        .map(Page::read)
        .toList();
  }

  static Page read(Path path) {
    try {
      return new Page(path, Files.readAllLines(ROOT.resolve(path)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String name() {
    return path.toString();
  }

  boolean isIn(String folder) {
    return path.startsWith(folder);
  }

  /** The lines outside of fenced blocks; a line inside is empty here. */
  public List<String> prose() {
    List<String> prose = new ArrayList<>();
    boolean fenced = false;
    for (String line : lines) {
      boolean fence = line.stripLeading().startsWith("```");
      prose.add(fenced || fence ? "" : line);
      fenced ^= fence;
    }
    return prose;
  }

  /** The lines of fenced blocks without language {@code text}. */
  public List<String> code() {
    List<String> code = new ArrayList<>();
    boolean fenced = false;
    boolean output = false;
    for (String line : lines) {
      if (line.stripLeading().startsWith("```")) {
        output = !fenced && line.strip().endsWith("text");
        fenced = !fenced;
      } else if (fenced && !output) {
        code.add(line);
      }
    }
    return code;
  }

  /** Targets of links, outside of fenced blocks. */
  List<String> links() {
    List<String> links = new ArrayList<>();
    Matcher link = LINK.matcher(String.join("\n", prose()));
    while (link.find()) {
      links.add(link.group(1));
    }
    return links;
  }

  /** The names that links use for the headings. */
  Set<String> anchors() {
    return prose().stream()
        .map(HEADING::matcher)
        .filter(Matcher::matches)
        .map(heading -> anchor(heading.group(1)))
        .collect(Collectors.toSet());
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
  }

  static boolean isHeading(String line) {
    return HEADING.matcher(line).matches();
  }
}
