"""The service's source tree, and its builds through hone-cc, one a policy."""
import pathlib
import shutil
import subprocess

from programs import Failed, Missing, must_run

TEXT_BYTES = 1 << 20


class Product:
    def __init__(self, here, out, bin_folder):
        self.here, self.out, self.bin = here, out, bin_folder
        self.tree = out / "tree"
        self.log = out / "builds.log"

    def make_tree(self, root):
        """The service, Debian's zstd beside it, and the texts that staging compresses."""
        if not (self.out / "sources" / "libzstd").is_dir():
            try:
                must_run(["bash", root / "deploy" / "debian_source.sh", self.out / "sources", "libzstd"], self.log)
            except Failed as error:
                raise Missing(f"Debian's source of libzstd: {error}") from None
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(self.here / "service", self.tree)
        library = self.out / "sources" / "libzstd" / "lib"
        shutil.copytree(library, self.tree / "libzstd" / "lib")
        text = b"".join(file.read_bytes() for file in sorted(library.rglob("*.[ch]")))
        (self.tree / "texts.bin").write_bytes(text[:TEXT_BYTES])

    def build(self, index=None):
        """The service built with the policy's index, or as it is; its program and what hone-cc counted."""
        folder = self.out / "builds" / (pathlib.Path(index).stem if index else "plain")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        launcher = f"{self.bin / 'hone-cc'};ccache"
        env = {"HONE_ROOT": str(self.tree), "HONE_STATE_DIR": str(folder / "state"),
               "CCACHE_DIR": str(self.out / "ccache"), **({"HONE_POLICY": str(index)} if index else {})}
        must_run(["cmake", "-S", self.tree, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                  "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19",
                  f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"], self.log, env)
        must_run(["cmake", "--build", folder, "--parallel", "2", "--target", "zstd_service"], self.log, env)
        counted = subprocess.run([self.bin / "hone-cc", f"--state-dir={folder / 'state'}", "--stats"],
                                 capture_output=True, text=True, check=True).stdout
        numbers = {line[:30].strip(): line[30:].split()[0] for line in counted.splitlines() if line[30:].split()}
        return folder / "zstd_service", {"meant": int(numbers.get("meant to be tuned", 0)),
                                         "tuned": int(numbers.get("tuned", 0))}
