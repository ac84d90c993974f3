package io.palinode.voldemort.client.past;

import java.util.regex.Pattern;

/** Patterns of keys: * stands for any text, ? for one character. */
public final class KeyPattern {
  private KeyPattern() {}

  public static Pattern of(String glob) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }
}
