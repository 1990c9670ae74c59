package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SafetensorsTest {

  private static Safetensors sample() {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put(
        "weight",
        new Safetensors.Tensor(
            Safetensors.Type.F64, List.of(2, 2), new double[] {1, -2.5, 1e-300, 4}));
    tensors.put(
        "bias", new Safetensors.Tensor(Safetensors.Type.F32, List.of(1), new double[] {0.5}));
    return new Safetensors(tensors, Map.of("epsilon", "1.0"));
  }

  /** The expected bytes follow the published description of the format. */
  @Test
  void bytes_followTheFormat() {
    byte[] bytes =
        new Safetensors(
                Map.of(
                    "a",
                    new Safetensors.Tensor(Safetensors.Type.F32, List.of(1), new double[] {1})),
                Map.of())
            .toBytes();
    String header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    int padded = (header.length() + 7) / 8 * 8;
    assertThat(bytes).hasSize(8 + padded + 4);
    assertThat(bytes[0]).isEqualTo((byte) padded);
    assertThat(new String(bytes, 8, padded, StandardCharsets.UTF_8).strip()).isEqualTo(header);
    assertThat(new byte[] {bytes[8 + padded + 2], bytes[8 + padded + 3]})
        .isEqualTo(new byte[] {(byte) 0x80, 0x3f});
  }

  @Test
  void read_returnsWhatWasWritten() {
    Safetensors read = Safetensors.ofBytes(sample().toBytes());
    assertThat(read.metadata()).containsEntry("epsilon", "1.0");
    assertThat(read.tensors().get("weight").values()).containsExactly(1, -2.5, 1e-300, 4);
    assertThat(read.tensors().get("weight").shape()).containsExactly(2, 2);
    assertThat(read.tensors().get("bias").values()).containsExactly(0.5);
  }

  @Test
  void damagedFiles_areRefused() {
    byte[] good = sample().toBytes();
    for (int length : new int[] {0, 7, 8, 60, good.length - 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Safetensors.ofBytes(java.util.Arrays.copyOf(good, length)));
    }
    String other = new String(good, StandardCharsets.ISO_8859_1).replace("F64", "I64");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Safetensors.ofBytes(other.getBytes(StandardCharsets.ISO_8859_1)))
        .withMessageContaining("weight must be F32 or F64");
  }
}
