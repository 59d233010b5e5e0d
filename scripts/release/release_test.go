package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"peerd.dev/internal/require"
)

// TestPackageVersions are in the order of what they were made from.
func TestPackageVersions(t *testing.T) {
	for name, want := range map[string]string{
		"v0.1.0": "0.1.0", "v0.1.1-0.20261127083034-946c355fabcd": "0.1.1~0.20261127083034.946c355fabcd", "v0.2.0-rc.1": "0.2.0~rc.1",
		"v0.2.0-rc.1.0.20261127083034-946c355fabcd": "0.2.0~rc.1.0.20261127083034.946c355fabcd",
	} {
		if got := packageVersion(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestBillsKeepTheSchema: the bills of materials of a release, whose folder is the argument, are valid by the schema of CycloneDX 1.6, and name what they
// are of.
func TestBillsKeepTheSchema(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("no folder of a release: go test . -args FOLDER")
	}
	schema := compiled(t)
	files, err := filepath.Glob(filepath.Join(flag.Arg(0), "*.cdx.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no bills of materials", err)
	}
	for _, file := range files {
		f := require.Value(os.Open(file))(t)
		doc := require.Value(jsonschema.UnmarshalJSON(f))(t)
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		require.Value(f.Seek(0, 0))(t)
		var bill cyclonedx.BOM
		require.NoError(t, cyclonedx.NewBOMDecoder(f, cyclonedx.BOMFileFormatJSON).Decode(&bill))
		if c := bill.Metadata.Component; c.Name != "peerd" || len(*bill.Components) < 50 {
			t.Errorf("%s is of %s, with %d components", file, c.Name, len(*bill.Components))
		}
		for _, c := range *bill.Components {
			if c.Licenses == nil || c.Name != "std" && c.Properties == nil {
				t.Errorf("%s: %s has no licence, or no sum", file, c.Name)
			}
		}
		t.Logf("%s: %d components", filepath.Base(file), len(*bill.Components))
	}
}

// compiled returns the schema, which the module of the library has with it.
func compiled(t *testing.T) *jsonschema.Schema {
	dir := require.Value(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output())(t)
	c := jsonschema.NewCompiler()
	for name, file := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		f := require.Value(os.Open(filepath.Join(strings.TrimSpace(string(dir)), "schema", file)))(t)
		doc := require.Value(jsonschema.UnmarshalJSON(f))(t)
		require.NoError(t, c.AddResource("http://cyclonedx.org/schema/"+name, doc))
	}
	schema := require.Value(c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json"))(t)
	return schema
}
