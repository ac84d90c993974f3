package io.palinode.cli.options;

import io.palinode.hvc.Epsilon;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The text form of ε as an option's value. */
public final class EpsilonText implements ITypeConverter<Epsilon> {
  @Override
  public Epsilon convert(String text) {
    try {
      return Epsilon.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
