# sealed.sh FOLDER: the drafts of a folder of test/records, sealed into the current folder.  Those of
# the reference model are sealed beside it; a stream keeps its name.
set -e
mkdir drafts
cp "$RECORDS/reference/model.yaml" drafts
cp "$RECORDS/$1"/* drafts
for draft in drafts/*; do
    sed 's|file:\.\./reference/|file:|' "$draft" >drafts/draft
    mv drafts/draft "$draft"
done
for draft in drafts/*; do
    name=${draft#drafts/}
    case $name in
    *.jsonl) cp "$draft" . ;;
    *) kvcap seal "$draft" -o "${name%.*}.json" ;;
    esac
done
rm -r drafts
