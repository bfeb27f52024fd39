package reprise

import (
	"strings"
	"testing"
)

const readers = "tools list_issues! {} get_issue! {} list_teams! {} get_project! {} list_projects! {} search! {} get! {} update_issue {} create_comment {} run {}\n"

// TestSources is every rule of where an argument comes from, each with its near miss.
// Seqs count all frames: with readers in front, the first call is 3 and its answer 4.
func TestSources(t *testing.T) {
	const list = `call list_issues {}
		ok {"content":[],"structuredContent":{"items":[{"id":"PROJ-4821","number":48210000000000000001,"rank":7,"title":"Crash","done":true,"status":"open","url":"https://t.example/i/PROJ-4821"}],"nextCursor":"b2Zmc2V0"}}
		`
	for _, c := range []struct{ name, story, path, want string }{
		// Harvested.
		{"the note's own", list + `call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id"},
		{"harvested, then not found", list + `call get_issue {"issueId":"PROJ-4821"}
			error no issue PROJ-4821
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id"},
		{"nested and in an array", list + `call get_issue {"filter":{"ids":["PROJ-4821"]}}`, "filter.ids[0]", "harvested same 4 items[0].id"},
		{"text that is JSON", `call list_issues {}
			text {"issues":[{"id":"PROJ-4821"}]}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 issues[0].id"},
		{"several texts that are JSON", `call list_issues {}
			ok {"content":[{"type":"text","text":"{\"id\":\"PROJ-1000\"}"},{"type":"text","text":"{\"id\":\"PROJ-1001\"}"}]}
			call get_issue {"issueId":"PROJ-1001"}`, "issueId", "harvested same 4 content[1].text.id"},
		{"structured content goes before its copy", `call list_issues {}
			ok {"content":[{"type":"text","text":"{\"items\":[{\"id\":\"PROJ-4821\"}]}"}],"structuredContent":{"items":[{"id":"PROJ-4821"}]}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id"},
		{"plain text", `call search {}
			text Found PROJ-4821 [open] and others.
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested unknown 4 content[0].text"},
		{"plain text that names it", `call search {}
			text Found issue PROJ-4821 [open].
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 content[0].text"},
		{"the first word of a line is what the tool is about", `call list_issues {}
			text 2 found:\n- PROJ-4821 of USR-7\n- PROJ-4822 of USR-8
			call get_issue {"issueId":"PROJ-4822"}`, "issueId", "harvested same 4 content[0].text"},
		{"behind its name", `call list_issues {}
			text button "Save" [ref=e12]
			call get {"ref":"e12"}`, "ref", "harvested unknown 4 content[0].text"},
		{"behind two words", `call search {}
			text Message ID: msgAB12cd34\nSubject: x
			call get {"messageId":"msgAB12cd34"}`, "messageId", "harvested same 4 content[0].text"},
		{"quoted as another language does", `call search {}
			text [{'id': 4217, 'table': 'x'}]
			call get {"id":4217}`, "id", "derived unknown 4 content[0].text"},
		{"JSON behind a heading", `call list_issues {}
			text Results: [{"id":55217,"title":"x"}]
			call get_issue {"issueId":55217}`, "issueId", "harvested same 4 content[0].text"},
		{"a part of an address", `call search {}
			ok {"structuredContent":{"link":"https://docs.example/document/d/1BxiMVs0XRA5nFMdKvBd/edit"}}
			call get {"documentId":"1BxiMVs0XRA5nFMdKvBd"}`, "documentId", "derived unknown 4 link"},
		{"a number in an address", `call search {}
			ok {"structuredContent":{"link":"https://git.example/issues/13478"}}
			call get {"number":13478}`, "number", "derived unknown 4 link"},
		{"a UUID otherwise spelled", `call search {}
			ok {"structuredContent":{"id":"123E4567-e89b-12d3-a456-426614174000"}}
			call get {"id":"123e4567e89b12d3a456426614174000"}`, "id", "derived unknown 4 id"},
		{"a line of one word", `call list_issues {}
			text * main\n  harvest-notes
			call get {"branch":"harvest-notes"}`, "branch", "derived unknown 4 content[0].text"},
		{"a list of ids", `call list_issues {}
			ok {"structuredContent":{"ids":["ISS-10","ISS-11"]}}
			call get_issue {"issueId":"ISS-11"}`, "issueId", "harvested same 4 ids[1]"},
		{"a later word is not", `call list_issues {}
			text - PROJ-4821 of USR-7
			call get_issue {"userId":"USR-7"}`, "userId", "harvested unknown 4 content[0].text"},
		{"a cursor", list + `call list_issues {"cursor":"b2Zmc2V0"}`, "cursor", "harvested same 4 items[0].x"},
		{"a resource", `ask resources/list {}
			ok {"resources":[{"uri":"tracker://projects","name":"projects"}]}
			ask resources/read {"uri":"tracker://projects"}`, "uri", "harvested same 4 resources[0].uri"},
		{"a resource link", `call search {}
			ok {"content":[{"type":"text","text":"see"},{"type":"resource_link","uri":"tracker://issues/8","name":"x"}]}
			ask resources/read {"uri":"tracker://issues/8"}`, "uri", "harvested same 4 content[1].uri"},
		{"what a resource says", `ask resources/read {"uri":"tracker://projects"}
			ok {"contents":[{"uri":"tracker://projects","text":"[{\"key\":\"WEB\"}]"}]}
			call get_project {"project":"WEB"}`, "project", "harvested same 4 [0].key"},
		{"a prompt", `ask prompts/get {"name":"triage","arguments":{"project":"WEB"}}
			ok {"messages":[{"role":"user","content":{"type":"text","text":"Sort issue PROJ-4821 first"}}]}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 messages[0].content.text"},
		{"a completion", `ask completion/complete {"ref":{"type":"ref/prompt","name":"triage"},"argument":{"name":"issueId","value":"PRO"}}
			ok {"completion":{"values":["PROJ-4821"]}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 completion.values[0]"},
		{"the name of a member", `call list_issues {}
			ok {"structuredContent":{"issues":{"PROJ-4821":{"title":"Crash"}}}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", `harvested same 4 issues["PROJ-4821"]`},
		{"the latest generation", list + list + `call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 6 items[0].id"},
		{"exact numbers", list + `call get_issue {"number":48210000000000000001}`, "number", "harvested same 4 items[0].number"},
		{"… of any spelling", list + `call get_issue {"number":4.8210000000000000001e19}`, "number", "harvested same 4 items[0].number"},
		{"… and no other", list + `call get_issue {"number":48210000000000000000}`, "number", "synthesized"},
		{"a failure generates nothing", `call get_issue {}
			error no issue PROJ-4821 here
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "told error"},

		// Common values.
		{"a common value under its key", list + `call list_issues {"status":"open"}`, "status", "harvested same 4 items[0].status"},
		{"… not under another", list + `call list_issues {"state":"open"}`, "state", "synthesized common"},
		{"a small number under its key", list + `call list_issues {"rank":7}`, "rank", "harvested same 4 items[0].rank"},
		{"… not under another", list + `call list_issues {"limit":7}`, "limit", "synthesized"},
		{"true under its key", list + `call list_issues {"done":true}`, "done", "harvested same 4 items[0].done"},
		{"… not under another", list + `call list_issues {"deep":true}`, "deep", "synthesized"},
		{"the same attribute of another entity", `call list_teams {}
			ok {"structuredContent":{"teams":[{"status":"active"}]}}
			call list_issues {"status":"active"}`, "status", "harvested unknown 4 teams[0].status"},
		{"a small id under its entity", `call list_issues {}
			ok {"structuredContent":{"issues":[{"id":7}]}}
			call get_issue {"issueId":7}`, "issueId", "harvested same 4 issues[0].id"},
		{"… not under another", `call list_teams {}
			ok {"structuredContent":{"teams":[{"id":7}]}}
			call get_issue {"issueId":7}`, "issueId", "synthesized"},
		{"a short key of an entity", `call list_projects {}
			ok {"structuredContent":{"projects":[{"key":"WEB"}]}}
			call list_issues {"project":"WEB"}`, "project", "harvested same 4 projects[0].key"},
		{"1 is not \"1\"", `call list_issues {}
			ok {"structuredContent":{"issues":[{"id":1}]}}
			call get_issue {"issueId":"1"}`, "issueId", "derived same 4 issues[0].id"},

		// Entities.
		{"the cross-entity id", `call list_teams {}
			ok {"structuredContent":{"teams":[{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}]}}
			call get_project {"projectId":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, "projectId", "harvested other 4 teams[0].id"},
		{"by the tool's noun", `call list_teams {}
			ok {"structuredContent":{"items":[{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}]}}
			call get_project {"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, "id", "harvested other 4 items[0].id"},
		{"by the key", `call search {}
			ok {"structuredContent":{"hits":[{"issue_id":"a1b2c3d4e5"}]}}
			call get {"issueId":"a1b2c3d4e5"}`, "issueId", "harvested same 4 hits[0].issue_id"},
		{"by the type beside it", `call search {}
			ok {"structuredContent":{"hits":[{"id":"a1b2c3d4e5","type":"project"}]}}
			call get_project {"projectId":"a1b2c3d4e5"}`, "projectId", "harvested same 4 hits[0].id"},
		{"unknown", `call search {}
			ok {"structuredContent":{"hits":[{"id":"a1b2c3d4e5"}]}}
			call get_project {"projectId":"a1b2c3d4e5"}`, "projectId", "harvested unknown 4 hits[0].id"},
		{"a role that is known otherwise", `call search {}
			ok {"structuredContent":{"users":[{"id":"USR-100"}]}}
			call list_issues {}
			ok {"structuredContent":{"issues":[{"id":"PROJ-1","assignee":"USR-100"}]}}
			call get_issue {"issueId":"USR-100"}`, "issueId", "harvested other 6 issues[0].assignee"},
		{"a type by a short form of its name", `call search {}
			ok {"structuredContent":{"hits":[{"id":"a1b2c3d4e5","type":"pull_request"}]}}
			call get {"pullNumber":"a1b2c3d4e5"}`, "pullNumber", "harvested same 4 hits[0].id"},
		{"a type behind another object", `call search {}
			ok {"structuredContent":{"hits":[{"id":"a1b2c3d4e5","meta":{"type":"summary"},"type":"project"}]}}
			call get_project {"projectId":"a1b2c3d4e5"}`, "projectId", "harvested same 4 hits[0].id"},
		{"a role is not an entity", `call list_issues {}
			ok {"structuredContent":{"issues":[{"id":"PROJ-1","assignee":{"id":"USR-100"}}]}}
			call get {"userId":"USR-100"}`, "userId", "harvested unknown 4 issues[0].assignee.id"},
		{"a bare role neither", `call list_issues {}
			ok {"structuredContent":{"issues":[{"id":"PROJ-1","assignee":"USR-100"}]}}
			call get {"userId":"USR-100"}`, "userId", "harvested unknown 4 issues[0].assignee"},
		{"short forms", `call list_repositories {}
			ok {"structuredContent":{"items":[{"name":"hello-world"}]}}
			call get {"repo":"hello-world"}`, "repo", "harvested same 4 items[0].name"},
		{"a pull request", `call list_pull_requests {}
			ok {"structuredContent":{"items":[{"number":42}]}}
			call get {"pullNumber":42}`, "pullNumber", "harvested same 4 items[0].number"},
		{"not by the beginning of a word", `call search {}
			ok {"structuredContent":{"jobs":[{"runner_id":55217}]}}
			call get {"run_id":55217}`, "run_id", "harvested other 4 jobs[0].runner_id"},
		{"one or the other", `call list_issues {}
			ok {"structuredContent":{"issues":[{"key":"PROJ-1"}]}}
			call get {"issueIdOrKey":"PROJ-1"}`, "issueIdOrKey", "harvested same 4 issues[0].key"},
		{"an id as a cursor", list + `call list_issues {"cursor":"PROJ-4821"}`, "cursor", "harvested unknown 4 items[0].id"},
		{"the same entity goes before a later other", `call list_projects {}
			ok {"structuredContent":{"projects":[{"id":"a1b2c3d4e5"}]}}
			call list_teams {}
			ok {"structuredContent":{"teams":[{"id":"a1b2c3d4e5"}]}}
			call get_project {"projectId":"a1b2c3d4e5"}`, "projectId", "harvested same 4 projects[0].id"},

		// Stale.
		{"a write to the same entity", list + `call update_issue {"issueId":"PROJ-9"}
			ok {}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},
		{"a write that runs", list + `call update_issue {"issueId":"PROJ-9"}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},
		{"a write to another", list + `call create_comment {"text":"x"}
			ok {}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id"},
		{"a write to another that names this one", list + `call create_comment {"issueId":"PROJ-9"}
			ok {}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},
		{"a write to nobody knows what", list + `call run {}
			ok {}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},
		{"a write that was refused", list + `call update_issue {}
			refused -32602 no
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id"},
		{"a write that was cancelled before", `call run {}
			cancel
			` + list + `call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 6 items[0].id"},
		{"… and after", list + `call run {}
			cancel
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},
		{"a write that has become a task", `call update_issue {}
			ok {"resultType":"task","taskId":"task-1","status":"working"}
			` + list + `ask tasks/get {"taskId":"task-1"}
			ok {"taskId":"task-1","status":"completed","result":{"content":[]}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 6 items[0].id stale"},
		{"a task's own id", `call run {}
			ok {"resultType":"task","taskId":"task-1","status":"working"}
			ask tasks/get {"taskId":"task-1"}`, "taskId", "harvested same 4 taskId"},
		{"a write before", `call run {}
			ok {}
			` + list + `call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 6 items[0].id"},
		{"the write that made it", `call update_issue {}
			ok {"structuredContent":{"id":"PROJ-4821"}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 id"},
		{"a tool that nobody has listed", list + `call get_thing {"issueId":"PROJ-9"}
			ok {}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "harvested same 4 items[0].id stale"},

		// Derived.
		{"put together", `call list_issues {}
			text /srv/notes\nplan.txt
			call get {"path":"/srv/notes/plan.txt"}`, "path", "derived unknown 4 content[0].text"},
		{"… with an invented part", `call list_issues {}
			text /srv/notes\nplan.txt
			call get {"path":"/srv/notes/other.txt"}`, "path", "synthesized"},
		{"… out of a list of one", `call list_issues {}
			text /srv/notes
			call list_issues {}
			text [FILE] 2025.csv
			call get {"path":"/srv/notes/2025.csv"}`, "path", "derived unknown 6 content[0].text"},
		{"put together with a short name", `call list_issues {}
			ok {"structuredContent":{"code":"HEL","number":48213}}
			call get {"label":"HEL-48213"}`, "label", "derived unknown 4 number"},
		{"… of short names only", `call list_issues {}
			ok {"structuredContent":{"code":"HEL","key":"WEB"}}
			call get {"label":"HEL-WEB"}`, "label", "synthesized"},
		{"a template", `ask resources/templates/list {}
			ok {"resourceTemplates":[{"uriTemplate":"tracker://issues/{issueId}","name":"issue"}]}
			` + list + `ask resources/read {"uri":"tracker://issues/PROJ-4821"}`, "uri", "derived unknown 6 items[0].id"},
		{"a short digest", `call run {}
			text commit 7830302cc60ca5f4870d27a698219ea9352ba39e
			call get {"revision":"7830302cc"}`, "revision", "derived unknown 4 content[0].text"},
		{"… of another", `call run {}
			text commit 7830302cc60ca5f4870d27a698219ea9352ba39e
			call get {"revision":"7830302dd"}`, "revision", "synthesized"},
		{"a word of a JSON string", `call search {}
			ok {"structuredContent":{"note":"see PROJ-4821 first"}}
			call get_issue {"issueId":"PROJ-4821"}`, "issueId", "derived unknown 4 note"},
		{"a directory of a path", `call run {}
			text /srv/notes/2026/plan.txt
			call get {"path":"/srv/notes"}`, "path", "derived unknown 4 content[0].text"},
		{"a list in a string", list + `call get {"ids":"PROJ-4821, PROJ-4821"}`, "ids", "derived unknown 4 items[0].id"},

		// Literal.
		{"an enum goes before harvested", list + `tools t! {"properties":{"status":{"enum":["open","closed"]}}}
			call t {"status":"open"}`, "status", "literal enum"},
		{"const", `tools t {"properties":{"v":{"const":2}}}
			call t {"v":2.0}`, "v", "literal const"},
		{"an enum of the elements", `tools t {"properties":{"v":{"type":"array","items":{"enum":["a"]}}}}
			call t {"v":["a"]}`, "v[0]", "literal enum"},
		{"behind a reference", `tools t {"properties":{"v":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"enum":["a"]}]}}}
			call t {"v":"a"}`, "v", "literal enum"},
		{"a reference to itself", `tools t {"properties":{"v":{"$ref":"#"}},"$ref":"#"}
			call t {"v":"a"}`, "v", "synthesized"},
		{"default", `tools t {"properties":{"v":{"default":"HEAD~1"}}}
			call t {"v":"HEAD~1"}`, "v", "literal default"},
		{"harvested goes before default", list + `tools t! {"properties":{"id":{"default":"PROJ-4821"}}}
			call t {"id":"PROJ-4821"}`, "id", "harvested unknown 4 items[0].id"},
		{"a default inside an object", `tools t {"properties":{"o":{"default":{"v":"abc-def"}}}}
			call t {"o":{"v":"abc-def"}}`, "o.v", "literal default"},
		{"examples", `tools t {"properties":{"v":{"examples":["w"]}}}
			call t {"v":"w"}`, "v", "literal examples"},
		{"a boolean", `tools t {"properties":{"v":{"type":"boolean"}}}
			call t {"v":false}`, "v", "literal type"},
		{"described", `tools t {"properties":{"v":{"type":"string","description":"open or closed"}}}
			call t {"v":"closed"}`, "v", "literal description"},
		{"… is not part of a word", `tools t {"properties":{"v":{"type":"string","description":"disclosed"}}}
			call t {"v":"closed"}`, "v", "synthesized"},
		{"quoted by the tool", `tools t {}
			call t {"v":"sprints"}`, "v", "literal description"},
		{"… not merely said", `tools t {}
			call t {"v":"about"}`, "v", "synthesized"},
		{"an id that the tool says", `tools t {}
			call t {"v":"ISS-900"}`, "v", "literal description"},

		// Told.
		{"by an error", `call run {"region":"us-west-3"}
			refused -32602 unknown region; try eu-north-1
			call run {"region":"eu-north-1"}`, "region", "told error"},
		{"a common word by an error of the same tool", `call run {"state":"new"}
			error must be one of active, archived
			call run {"state":"archived"}`, "state", "told error"},
		{"… of another tool", `call run {"state":"new"}
			error must be one of active, archived
			call get {"state":"archived"}`, "state", "synthesized"},
		{"an error only says back what was invented", `call get_issue {"issueId":"PROJ-77"}
			error no issue PROJ-77
			call get_issue {"issueId":"PROJ-77"}`, "issueId", "synthesized"},
		{"… of common words too", `call run {"state":"new"}
			error unknown state 'new'
			call run {"state":"new"}`, "state", "synthesized"},
		{"by instructions", `ask initialize {}
			ok {"instructions":"Begin with 'alpha' or project P-100."}
			call get {"v":"alpha"}`, "v", "told instructions"},
		{"by the user", `server elicitation/create {"message":"Which?","requestedSchema":{"properties":{"branch":{"type":"string"}}}}
			reply {"action":"accept","content":{"branch":"release/7"}}
			call get {"ref":"release/7"}`, "ref", "told elicitation"},
		{"the user's answer itself", `server elicitation/create {"message":"Which?","requestedSchema":{"properties":{"branch":{"type":"string"}}}}
			reply {"action":"accept","content":{"branch":"release/7"}}`, "content.branch", "told elicitation"},
		{"… out of the schema", `server elicitation/create {"message":"Which?","requestedSchema":{"properties":{"branch":{"enum":["main"]}}}}
			reply {"action":"accept","content":{"branch":"main"}}`, "content.branch", "literal enum"},
		{"a sampled text", `server sampling/createMessage {}
			reply {"role":"assistant","model":"m","content":{"type":"text","text":"It crashes."}}`, "content.text", "synthesized"},
		{"by roots", `server roots/list {}
			reply {"roots":[{"uri":"file:///srv/notes","name":"notes"}]}
			call get {"path":"/srv/notes"}`, "path", "told roots"},
		{"a log message that says back", `call get {"job":"job-77"}
			notify notifications/message {"level":"info","data":"looking for job-77"}
			call get {"job":"job-77"}`, "job", "synthesized"},
		{"how a message is written is not told", `notify notifications/message {"level":"info","logger":"x","data":"y"}
			call get {"a":"logger","b":"info"}`, "a", "synthesized"},
		{"by a log message", `notify notifications/message {"level":"info","data":"opened job-77"}
			call get {"job":"job-77"}`, "job", "told notification"},
		{"by a question", `server sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"Sum up PROJ-12"}}]}
			call get {"v":"PROJ-12"}`, "v", "told question"},

		// Synthesized.
		{"the invented region", `call run {"region":"us-west-3"}`, "region", "synthesized"},
		{"before it was generated", `call get_issue {"issueId":"PROJ-4821"}
			` + list, "issueId", "synthesized"},
		{"an echo", `call get {"issueId":"PROJ-77"}
			ok {"structuredContent":{"query":"PROJ-77","hits":[]}}
			call get_issue {"issueId":"PROJ-77"}`, "issueId", "harvested echo unknown 4 query"},
		{"an echo of an echo", `call get {"issueId":"PROJ-77"}
			ok {"structuredContent":{"query":"PROJ-77","hits":[]}}
			call get {"issueId":"PROJ-77"}
			ok {"structuredContent":{"query":"PROJ-77","hits":[]}}
			call get_issue {"issueId":"PROJ-77"}`, "issueId", "harvested echo unknown 6 query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, readers+c.story)
			want := strings.Replace(c.want, "items[0].x", "nextCursor", 1)
			if got := p.use(c.path).said(); got != want {
				t.Errorf("%s is %q, want %q", c.path, got, want)
			}
		})
	}
}

// TestEmptyArguments: a call without arguments has no uses, and says so in what it generates.
func TestEmptyArguments(t *testing.T) {
	p := play(t, readers+`call list_teams {}
		ok {"structuredContent":{"teams":[{"id":"TEAM-100"}]}}`)
	if len(p.uses) != 0 || p.s.Unsourced != 0 {
		t.Errorf("uses: %v", p.uses)
	}
	if v := p.values[0]; v.From != "list_teams({})" || v.Key != "id" || v.Entity != "team" || v.Path != "teams[0].id" || v.Seq != 4 || v.JSON != `"TEAM-100"` {
		t.Errorf("value: %+v", v)
	}
}
