package io.palinode.orchestrator.alert;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Lets the receiver of a webhook check who sent a body, and when. */
final class Signature {
  /** {@code t=<seconds>,v1=<hex>}: HMAC-SHA256 of {@code <seconds>.<url>.<body>}. */
  static final String HEADER = "Palinode-Signature";

  private static final String ALGORITHM = "HmacSHA256";

  private Signature() {}

  static String of(URI url, byte[] body, String secret, long epochSeconds) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      mac.update((epochSeconds + "." + url + ".").getBytes(StandardCharsets.UTF_8));
      return "t=%d,v1=%s".formatted(epochSeconds, HexFormat.of().formatHex(mac.doFinal(body)));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("each Java has " + ALGORITHM, e);
    }
  }
}
